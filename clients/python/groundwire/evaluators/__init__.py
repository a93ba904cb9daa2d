"""Groundwire inside of frameworks that evaluate answers, or that make them: a module each.

    pip install 'groundwire[haystack]'      # groundwire.evaluators.haystack
    pip install 'groundwire[langchain]'     # groundwire.evaluators.langchain
    pip install 'groundwire[deepeval]'      # groundwire.evaluators.deepeval
    pip install 'groundwire[llama-index]'   # groundwire.evaluators.llama_index

Each asks a server through the client and gives its framework what came back. Nothing here loads a
framework but the module that is imported for it, and none of its telemetry is switched on.
"""


def missing_extra(extra: str, error: ModuleNotFoundError) -> ImportError:
    """What to raise where a module cannot be imported since `extra` was not installed."""
    return ImportError(
        f"groundwire.evaluators.{extra.replace('-', '_')} needs {error.name!r}, which is not "
        f"installed: pip install 'groundwire[{extra}]'",
        name=error.name,
    )
