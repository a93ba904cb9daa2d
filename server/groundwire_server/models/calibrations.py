"""Calibrations as files: one a model and prompt, found by their identity.

`groundwire calibrate` writes them into the cache folder, `groundwire train` into the folder of the
model that it makes; the embedded model's ships with it. A
file that an operator names has to fit; one that is only found is passed over if it does not.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from groundwire_server.config.service_settings import CALIBRATION_AUTO, CALIBRATION_OFF
from groundwire_server.config.sources import ConfigError, first_problem
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.numbers.calibration import (
    Bar,
    Calibration,
    Curve,
    Isotonic,
    Platt,
    Strictness,
)

SHIPPED = Path(__file__).with_name("embedded")
FILE_NAME = "calibration.json"


class _Strict(BaseModel):
    # JSON has no NaN and no infinity, but its readers take them.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PlattCurve(_Strict):
    """See `groundwire_verifier.numbers.calibration.Platt`."""

    method: Literal["platt"] = "platt"
    slope: float = Field(gt=0.0)
    intercept: float

    @classmethod
    def of(cls, curve: Platt) -> "PlattCurve":
        return cls(slope=curve.slope, intercept=curve.intercept)


class IsotonicCurve(_Strict):
    """See `groundwire_verifier.numbers.calibration.Isotonic`."""

    method: Literal["isotonic"] = "isotonic"
    log_odds: tuple[float, ...] = Field(min_length=1)
    probabilities: tuple[float, ...]

    @model_validator(mode="after")
    def _check_together(self) -> "IsotonicCurve":
        given, values = self.log_odds, self.probabilities
        if len(given) != len(values) or list(given) != sorted(set(given)):
            raise ValueError("log_odds must ascend, with one probability each")
        if list(values) != sorted(values) or not (values[0] >= 0.0 and values[-1] <= 1.0):
            raise ValueError("probabilities must not fall and be in [0, 1]")
        return self


class CalibrationFile(_Strict):
    """A calibration on disk."""

    version: Literal[1] = 1
    identity: str = Field(pattern="^[0-9a-f]{64}$")
    """SHA-256 of the weights and the prompt that it holds for."""
    model: str
    prompt_version: str
    curve: PlattCurve | IsotonicCurve = Field(discriminator="method")
    rows: int = Field(gt=0)
    data: str
    """What the rows were, in words."""
    operating_points: dict[Strictness, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(
        default_factory=dict
    )
    """The confidences that a claim can be asked for by name."""
    bars: dict[Bar, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(default_factory=dict)
    """From where on a finding against a claim can be believed, by the finding."""
    concerns: dict[str, PlattCurve] = Field(default_factory=dict)
    """The curves of questions of common sense, by their names."""

    @field_validator("concerns")
    @classmethod
    def _check_questions(cls, concerns: dict[str, PlattCurve]) -> dict[str, PlattCurve]:
        unknown = concerns.keys() - CommonSense.__members__.keys()
        if unknown:
            raise ValueError(f"there is no question {min(unknown)}")
        return concerns

    @classmethod
    def of(
        cls, calibration: Calibration, identity: str, model: str, prompt_version: str
    ) -> "CalibrationFile":
        return cls(
            identity=identity,
            model=model,
            prompt_version=prompt_version,
            curve=_written(calibration.curve),
            rows=calibration.rows,
            data=calibration.data,
            operating_points=dict(calibration.operating_points),
            bars=dict(calibration.bars),
            concerns={name: PlattCurve.of(curve) for name, curve in calibration.concerns.items()},
        )

    @property
    def calibration(self) -> Calibration:
        curve = self.curve
        used: Curve = (
            Platt(curve.slope, curve.intercept)
            if isinstance(curve, PlattCurve)
            else Isotonic(curve.log_odds, curve.probabilities)
        )
        concerns = {name: Platt(c.slope, c.intercept) for name, c in self.concerns.items()}
        return Calibration(
            curve=used,
            rows=self.rows,
            data=self.data,
            operating_points=self.operating_points,
            bars=self.bars,
            concerns=concerns,
        )


def find(
    identity: str, setting: str, cache_dir: Path, model_folder: Path | None = None
) -> Calibration | None:
    """The calibration for an identity under the setting `calibration`.

    The operator's own in the cache folder comes first, then one in the folder of the model, then
    those that ship. Raises ConfigError if a named file is unreadable or holds for another model or
    prompt, or if one that is found cannot be read.
    """
    if setting == CALIBRATION_OFF:
        return None
    if (named := read_named(setting)) is not None:
        if named.identity != identity:
            raise ConfigError(
                f"{setting} was fitted for {named.model}, asked with {named.prompt_version}, and "
                "not for what is being served; fit one with `groundwire calibrate`"
            )
        return named.calibration
    found = found_for(identity, cache_dir, model_folder)
    return None if found is None else found.file.calibration


def read_named(setting: str) -> CalibrationFile | None:
    """The file that the setting `calibration` names; None if it names none. Raises ConfigError."""
    if setting in (CALIBRATION_OFF, CALIBRATION_AUTO):
        return None
    return read(Path(setting).expanduser())


@dataclass(frozen=True, slots=True)
class Found:
    """A calibration, and where it lies."""

    path: Path
    file: CalibrationFile


def found_for(
    identity: str, cache_dir: Path, model_folder: Path | None = None, first: Path | None = None
) -> Found | None:
    """The calibration for an identity, from the places that `find` looks in. Raises ConfigError.

    `first` comes before them, if it is there and fits.
    """
    try:
        own = path_for(identity, cache_dir)
    except RuntimeError:  # no home, where the operator's own would lie
        own = None
    places = [own] if own is not None and own.is_file() else _others(model_folder)
    for path in places if first is None or not first.is_file() else [first, *places]:
        file = read(path)
        if file.identity == identity:
            return Found(path, file)
    return None


def _others(model_folder: Path | None) -> list[Path]:
    """The files that may hold a calibration beside the operator's own, in their order."""
    beside = None if model_folder is None else model_folder / FILE_NAME
    own = [beside] if beside is not None and beside.is_file() else []
    return own + sorted(SHIPPED.glob(f"*/{FILE_NAME}"))


def read(path: Path) -> CalibrationFile:
    """A file's calibration. Raises ConfigError."""
    try:
        return CalibrationFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"calibration {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        place, words = first_problem(error)
        raise ConfigError(f"{path} is no calibration: {place} {words}") from None


def write(file: CalibrationFile, path: Path) -> None:
    """Write a calibration, whole or not at all. Raises ConfigError."""
    partial = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(file.model_dump_json(indent=2) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise ConfigError(f"calibration {path} cannot be written: {error.strerror}") from error


def path_for(identity: str, cache_dir: Path) -> Path:
    return cache_dir.expanduser() / "calibrations" / f"{identity}.json"


def _written(curve: Curve) -> PlattCurve | IsotonicCurve:
    if isinstance(curve, Platt):
        return PlattCurve.of(curve)
    return IsotonicCurve(log_odds=curve.log_odds, probabilities=curve.probabilities)
