"""Which profile a model is asked with: by name, by a file, or by the model's name."""

import functools
import logging
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from groundwire_server.config.service_settings import PROFILE_AUTO
from groundwire_server.config.sources import ConfigError
from groundwire_server.models.profiles.profile_file import ProfileFile, read_profile
from groundwire_verifier.domain.types import INSTRUCT, Profile, Task

log = logging.getLogger("groundwire.server")

SHIPPED = Path(__file__).parent
SUFFIX = ".toml"
INVERTED_FAMILIES = ("*granite-guardian*",)
"""Models whose yes speaks against a claim: none is asked in our own words by mistake."""


@functools.cache
def shipped_profiles() -> Mapping[str, ProfileFile]:
    """The profiles that ship, by their names."""
    files = [read_profile(path) for path in sorted(SHIPPED.glob(f"*{SUFFIX}"))]
    return {file.name: file for file in files}


def chosen_profile(setting: str, model: str) -> Profile:
    """The profile under the setting `profile` for a model, a folder or a hub name.

    Logs which it is unless it is the plain one. Raises ConfigError.
    """
    if setting == PROFILE_AUTO:
        profile = _by_model(model)
        how = "by the model's name"
    else:
        profile = _named(setting)
        how = "by the setting profile"
    if profile != INSTRUCT:
        log.info("asking with the profile %s (%s), %s", profile.name, direction(profile), how)
    if profile.task is Task.RELEVANCE:
        log.warning(
            "the profile %s reads whether a context is relevant to a claim, not whether it supports"
            " it: probabilities are of relevance, and what gives verdicts is refused",
            profile.name,
        )
    return profile


def direction(profile: Profile) -> str:
    """What the model's yes says, in words."""
    if profile.task is Task.RELEVANCE:
        return "yes means relevant"
    return "yes means not supported" if profile.inverted else "yes means supported"


def _by_model(model: str) -> Profile:
    name = Path(model).expanduser().name.lower()
    for file in shipped_profiles().values():
        if any(fnmatchcase(name, pattern) for pattern in file.models):
            return file.profile
    if any(fnmatchcase(name, pattern) for pattern in INVERTED_FAMILIES):
        raise ConfigError(
            f"profile: none is known for {name}, whose yes may speak against a claim: set profile "
            f"to one of {', '.join(shipped_profiles())}, or to a file of your own"
        )
    return INSTRUCT


def _named(setting: str) -> Profile:
    if setting in shipped_profiles():
        return shipped_profiles()[setting].profile
    if not setting.endswith(SUFFIX):
        raise ConfigError(
            f"profile: there is no {setting!r}; use auto, one of "
            f"{', '.join(shipped_profiles())}, or a file that ends in {SUFFIX}"
        )
    own = read_profile(Path(setting).expanduser()).profile
    shipped = shipped_profiles().get(own.name)
    if shipped is not None and shipped.profile != own:
        raise ConfigError(
            f"profile {setting}: name: {own.name} is that of a profile that ships; choose another"
        )
    return own
