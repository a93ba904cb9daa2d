"""Groundwire inside of frameworks that evaluate answers, or that make them: a module each.

    pip install './clients/python[haystack]'      # groundwire.evaluators.haystack
    pip install './clients/python[langchain]'     # groundwire.evaluators.langchain
    pip install './clients/python[deepeval]'      # groundwire.evaluators.deepeval
    pip install './clients/python[llama-index]'   # groundwire.evaluators.llama_index
    pip install './clients/python[ragas]'         # groundwire.evaluators.ragas

Each asks a server through the client and gives its framework what came back. Nothing here loads a
framework but the module that is imported for it, and none of its telemetry is switched on.
"""

from groundwire._extras import what_extras_ask_for


def missing_extra(extra: str, error: ModuleNotFoundError) -> ImportError:
    """What to raise where a module cannot be imported since `extra` was not installed."""
    return ImportError(
        f"groundwire.evaluators.{extra.replace('-', '_')} needs {error.name!r}, which is not "
        f"installed: {what_extras_ask_for('groundwire', extra)}",
        name=error.name,
    )
