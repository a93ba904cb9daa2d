"""What a running server's model says of labelled claims, and the file that keeps it.

A reading takes long and a fit does not: who keeps the readings can fit again for other rates,
without a server.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console
from rich.progress import track

from groundwire import (
    Client,
    InvalidRequestError,
    Policy,
    ServerInfo,
    Thresholds,
    VerdictReason,
    VerifyOptions,
)
from groundwire_server.config.sources import ConfigError, first_problem
from groundwire_server.models.fitting import without_evidence
from groundwire_server.models.labelled_file import LabelledClaim

_Item = TypeVar("_Item")
_Share = Annotated[float, Field(ge=0.0, le=1.0)]
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True)
class Asked:
    """The model that was asked, and how."""

    identity: str
    model: str
    prompt_version: str

    @classmethod
    def of(cls, info: ServerInfo) -> "Asked":
        """What a server serves. Raises ConfigError while it loads."""
        if not info.identity:
            raise ConfigError("the server is still loading its model; try again")
        return cls(info.identity, info.model, info.prompt_version)


class Readings(BaseModel):
    """Raw probabilities of one model, by the claims with their contexts, as a file keeps them.

    Each claim has the one with its context and the one with that removed, or None where the model
    gave none. `no` has P(NO) of claims that the model was asked for its stance on: among YES,
    NO and UNSURE, or 0 where it did not choose NO.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    version: Literal[1] = 1
    identity: _Sha256
    model: str
    prompt_version: str
    raw: dict[_Sha256, tuple[_Share, _Share] | None] = Field(default_factory=dict)
    no: dict[_Sha256, _Share] = Field(default_factory=dict)

    @property
    def asked(self) -> Asked:
        return Asked(self.identity, self.model, self.prompt_version)

    @classmethod
    def kept_in(cls, path: Path) -> "Readings | None":
        """Those of a file, or None where there is none. Raises ConfigError."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigError(f"--readings: {path} cannot be read: {error.strerror}") from error
        except ValidationError as error:
            place, words = first_problem(error)
            raise ConfigError(f"--readings: {path} holds none: {place} {words}") from None

    def keep_in(self, path: Path) -> None:
        """Write them, whole or not at all. Raises ConfigError."""
        partial = path.with_name(f"{path.name}.part")
        try:
            partial.write_text(self.model_dump_json() + "\n", encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise ConfigError(f"--readings: {path} cannot be written: {error.strerror}") from error

    def of(self, row: LabelledClaim) -> tuple[float, float] | None:
        """Those of a row; None where the model gave none, or was not asked."""
        return self.raw.get(_key(row))

    def missing(self, rows: Sequence[LabelledClaim]) -> list[LabelledClaim]:
        """The rows that the model was not asked about."""
        return [row for row in rows if _key(row) not in self.raw]

    def says_no(self, row: LabelledClaim) -> float:
        """P(NO) where the model was asked for its stance and chose NO, else 0."""
        return self.no.get(_key(row), 0.0)

    def without_stance(self, rows: Sequence[LabelledClaim]) -> list[LabelledClaim]:
        """The rows on which the model was not asked for its stance."""
        return [row for row in rows if _key(row) not in self.no]

    def ask_stances(
        self, client: Client, rows: Sequence[LabelledClaim], backend: str, most: int
    ) -> None:
        """Have the model choose among YES, NO and UNSURE, on at most so many rows in a call.

        A text that is refused counts as one without a NO. Raises GroundwireError.
        """
        # By these thresholds each claim that the model says NO to has that as its reason.
        thresholds = Thresholds(min_posterior=1.0, min_contradiction=0.0)
        options = VerifyOptions(policy=Policy.BUDGET, thresholds=thresholds, backend=backend)
        for context, group in shown(_by_context(rows).items()):
            for part in _parts(group, most):
                self.no.update((_key(row), 0.0) for row in part)
                claims = [row.claim for row in part]
                try:
                    found = client.verify_claims(claims, context, options=options)
                except InvalidRequestError:
                    continue
                for row, claim in zip(part, found, strict=True):
                    if claim.reason is VerdictReason.MODEL_SAYS_NO and claim.stance is not None:
                        self.no[_key(row)] = claim.stance.no

    def ask(self, client: Client, rows: Sequence[LabelledClaim], backend: str, most: int) -> str:
        """Have rows read, at most so many in a call; the first refusal in words, or "".

        One text that is too long costs no other row. Raises GroundwireError.
        """
        first_error = ""
        for context, group in shown(_by_context(rows).items()):
            for part in _parts(group, most):
                claims = [row.claim for row in part]
                try:
                    posteriors, priors = (
                        client.batch_estimate(claims, text, backend=backend).estimates
                        for text in (context, without_evidence(context))
                    )
                except InvalidRequestError as error:
                    first_error = first_error or str(error)
                    self.raw.update((_key(row), None) for row in part)
                    continue
                for row, posterior, prior in zip(part, posteriors, priors, strict=True):
                    raw, raw_prior = posterior.raw_probability, prior.raw_probability
                    both = None if raw is None or raw_prior is None else (raw, raw_prior)
                    self.raw[_key(row)] = both
        return first_error


def _by_context(rows: Sequence[LabelledClaim]) -> dict[str, list[LabelledClaim]]:
    found: dict[str, list[LabelledClaim]] = {}
    for row in rows:
        found.setdefault(row.context, []).append(row)
    return found


def _key(row: LabelledClaim) -> str:
    """No text stands in the file."""
    return hashlib.sha256(f"{row.claim}\0{row.context}".encode()).hexdigest()


def shown(items: Collection[_Item]) -> Iterable[_Item]:
    """The items, with a bar that tells how many were taken, where there is a terminal."""
    console = Console(stderr=True)
    return track(
        items, "reading", len(items), console=console, transient=True,
        disable=not console.is_terminal,
    )  # fmt: skip


def _parts(group: list[LabelledClaim], size: int) -> Iterable[list[LabelledClaim]]:
    return (group[start : start + size] for start in range(0, len(group), size))
