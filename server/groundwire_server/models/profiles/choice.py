"""Profiles as files, and which one a model is asked with: by name, by a file, or by its name."""

import functools
import json
import logging
import re
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from groundwire_server.config.service_settings import PROFILE_AUTO
from groundwire_server.config.sources import ConfigError, first_problem
from groundwire_verifier.domain.types import INSTRUCT, ChatTurn, Profile, Task

MAX_PROFILE_BYTES = 65_536
MAX_TURNS = 16
MAX_WORDS = 20
MAX_TEXT_CHARACTERS = 20_000
PLACES = ("context", "claim")

_PLACE = re.compile(r"\{(context|claim)\}")
_NOT_OURS = ("labels", "inverted", "answer_prefix")

Text = Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS)]
Word = Annotated[str, Field(pattern=r"^ ?[^\s]+$", max_length=40)]
Words = Annotated[tuple[Word, ...], Field(min_length=1, max_length=MAX_WORDS)]

log = logging.getLogger("groundwire.server")

SHIPPED = Path(__file__).parent
SUFFIX = ".toml"
INVERTED_FAMILIES = ("*granite-guardian*",)
"""Models whose yes speaks against a claim: none is asked in our own words by mistake."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Labels(_Strict):
    """The words of the model for its two answers."""

    yes: Words
    no: Words


class ProfileTurn(_Strict):
    """A turn of the conversation that the model's chat template makes a prompt of."""

    role: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")
    text: Text


class ProfileFile(_Strict):
    """A profile on disk. `docs/choose-a-verifier.md` says what each key means."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,62}$")
    version: int = Field(ge=1)
    summary: str = Field(max_length=200)
    licence: str = Field(default="", max_length=200)
    """That of the weights."""
    models: tuple[Annotated[str, Field(max_length=100)], ...] = Field(default=(), max_length=50)
    """Names of models, in lower case and without their organisation; * stands for any text."""
    task: Literal["support", "relevance"] = "support"
    questions: Literal["groundwire"] | None = None
    turns: tuple[ProfileTurn, ...] = Field(default=(), max_length=MAX_TURNS)
    template: dict[str, JsonValue] = Field(default_factory=dict)
    """What the chat template gets beside the turns."""
    prompt: Text = ""
    labels: Labels | None = None
    inverted: bool | None = None
    answer_prefix: str = Field(default="", max_length=1000)

    @model_validator(mode="after")
    def _check_together(self) -> "ProfileFile":
        given = {"questions": self.questions, "turns": self.turns, "prompt": self.prompt}
        ways = [name for name, way in given.items() if way]
        if len(ways) != 1:
            raise ValueError("exactly one of questions, turns and prompt must say what is asked")
        if self.questions is not None:
            beside = [name for name in _NOT_OURS if name in self.model_fields_set]
            if beside:
                raise ValueError(f"{beside[0]} is not for our own questions: remove it")
            if self.task != "support":
                raise ValueError("task must be support for our own questions")
            return self
        if self.labels is None:
            raise ValueError("labels must give the model's words for yes and no")
        if self.inverted is None:
            raise ValueError(
                "inverted must say which way the answers go: true if yes speaks against the claim, "
                "false if it supports it"
            )
        both = set(self.labels.yes) & set(self.labels.no)
        if both:
            raise ValueError(f"labels.yes and labels.no share {sorted(both)[0]!r}: remove it")
        if self.prompt and self.template:
            raise ValueError("template is for turns: a prompt has no chat template")
        asked = self.prompt + "".join(turn.text for turn in self.turns) + json.dumps(self.template)
        found = _PLACE.findall(asked)
        for place in PLACES:
            if found.count(place) != 1:
                raise ValueError(
                    f"{{{place}}} must stand once in {ways[0]}, and stands there "
                    f"{found.count(place)} times"
                )
        return self

    @property
    def profile(self) -> Profile:
        labels = self.labels
        return Profile(
            name=self.name,
            version=self.version,
            task=Task(self.task),
            turns=tuple(ChatTurn(turn.role, turn.text) for turn in self.turns),
            template_values=json.dumps(self.template, ensure_ascii=False, sort_keys=True),
            prompt=self.prompt,
            answer_prefix=self.answer_prefix,
            yes=() if labels is None else labels.yes,
            no=() if labels is None else labels.no,
            inverted=bool(self.inverted),
        )


def read_profile(path: Path) -> ProfileFile:
    """A file's profile. Raises ConfigError, which names the key, its limit and the fix."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PROFILE_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"profile {path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_PROFILE_BYTES:
        raise ConfigError(
            f"profile {path} has more than {MAX_PROFILE_BYTES:,} bytes: is it the right file?"
        )
    try:
        return ProfileFile.model_validate(tomllib.loads(data.decode("utf-8")))
    except ValidationError as error:
        place, words = first_problem(error)
        where = f"{place}: " if place else ""
        raise ConfigError(
            f"profile {path}: {where}{words.removeprefix('Value error, ')}; "
            "see docs/choose-a-verifier.md"
        ) from None
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number without an end
        raise ConfigError(f"profile {path} is no TOML: {error}") from None


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
