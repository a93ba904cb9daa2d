"""LLM providers that packages register, and which of them the settings choose.

A provider is what an entry point of the group GROUP makes: it is called with `model` and
`temperature`, and gives an object with `async def complete(prompt)`.
"""

from collections.abc import Callable
from importlib import metadata

from groundwire_server.config.extras import check_provider
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_verifier.checks.corpus.explaining import LLMProvider

GROUP = "groundwire.llm_providers"

MakeProvider = Callable[[str, float], LLMProvider]
"""Called with the model's name, empty for the provider's own choice, and the temperature."""


def chosen_provider(settings: ServerSettings) -> LLMProvider | None:
    """The provider of the settings; None where they name none. Raises ConfigError."""
    name = settings.epistemic_risk_llm_provider
    if name is None:
        return None
    registered = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if name not in registered:
        known = ", ".join(sorted(registered)) or "none"
        raise ConfigError(
            f"epistemic_risk_llm_provider: no package registers {name!r} under {GROUP} "
            f"(registered: {known}). Install a package that does; or leave the provider out, and "
            "no verdict is explained; or, to have claims read by a model behind a URL in place of "
            "this machine's, add it to backends"
        )
    try:
        make: MakeProvider = registered[name].load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"epistemic_risk_llm_provider: {name!r} cannot be loaded: {error}"
        ) from error
    provider = make(settings.epistemic_risk_llm_model, settings.epistemic_risk_llm_temperature)
    check_provider("epistemic_risk_llm_provider", name, provider, "complete")
    return provider
