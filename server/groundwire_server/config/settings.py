"""All settings together: their groups, which of them need or exclude each other, and what they
are for the domain.
"""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr, TypeAdapter, ValidationError, model_validator

from groundwire_server.config import feature_settings as of_feature
from groundwire_server.config import service_settings as of_service
from groundwire_server.config.setting_types import Seconds, Strict
from groundwire_verifier.checks.assessment.scores import AssessmentRules
from groundwire_verifier.checks.corpus.analysis import CorpusRules
from groundwire_verifier.checks.corpus.risk import RiskRules
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.numbers.calibration import Bar, Calibration, Strictness
from groundwire_verifier.numbers.intervals import wilson
from groundwire_verifier.verdicts.facts import GateRules
from groundwire_verifier.verdicts.options import PriorReading, Read, VerifyOptions
from groundwire_verifier.verdicts.policy import Policy, Thresholds

R = TypeVar("R", AssessmentRules, GateRules, Limits, RiskRules, Thresholds)
"""Rules of the domain whose values are settings."""
_THRESHOLDS = Thresholds()
_BARS = {
    Bar.UNSUPPORTED: "max_unsupported_posterior",
    Bar.CONTRADICTION: "min_contradiction",
    Bar.MISCITATION: "min_miscitation",
}
"""The thresholds that a calibration chooses."""
UNCALIBRATED_CONFIDENCE = 0.5
"""What claims that state no confidence are asked for of a model without a calibration. What such a
model says to a claim that its evidence carries seldom reaches a plain sentence's confidence."""

EVERY = "configurable"
"""The backend_type of the local model and all of backends."""
BLOCK_SWITCH = "hallucination_enabled"
_SWITCH = TypeAdapter(bool)


def is_on(value: object) -> bool:
    """Whether a switch has a value that switches it on; what is no such value does not."""
    try:
        return _SWITCH.validate_python(value)
    except ValidationError:
        return False


class ServerSettings(  # the last base's fields come first
    of_feature.ThresholdSettings,
    of_service.LimitSettings,
    of_service.CacheSettings,
    of_service.EngineSettings,
    of_service.TelemetrySettings,
    of_service.AuditRecordSettings,
    of_feature.SimilaritySettings,
    of_feature.FeedbackSettings,
    of_feature.EmbeddingSettings,
    of_feature.RetrievalSettings,
    of_feature.EpistemicRiskSettings,
    of_feature.OutputVerificationSettings,
    of_feature.ResponseAssessmentSettings,
    of_feature.TraceAuditSettings,
    of_feature.MemoryGateSettings,
    of_feature.ClaimExtractionSettings,
    of_feature.HallucinationSettings,
    of_feature.VerdictSettings,
    of_service.BackendSettings,
    of_service.ModelSettings,
    of_service.HttpSettings,
    of_service.AddressSettings,
):
    """The settings of `groundwire serve`."""

    @property
    def limits(self) -> Limits:
        """The limits on one batch, for the domain."""
        return self._rules(Limits, "max")

    def off_switch(self, feature: str) -> str | None:
        """The setting that keeps a feature of the block `hallucination` off; None where it is on.

        A feature is what its own switch begins with: `memory_gate` has `memory_gate_enabled`.
        """
        switches = (f"{feature}_enabled", BLOCK_SWITCH)
        values = self.model_dump(include=set(switches))
        return next((switch for switch in switches if not values[switch]), None)

    @property
    def model_extraction_off(self) -> str | None:
        """The setting that keeps a model from splitting texts; None where one may."""
        is_named = self.claim_extractor == "model" or self.claim_extractor_backend is not None
        return None if is_named else "claim_extractor_backend"

    @property
    def has_local_model(self) -> bool:
        """Whether the model on this machine is one of the backends."""
        return self.backend_type in (of_service.LOCAL, EVERY)

    @property
    def has_local_extractor(self) -> bool:
        """Whether it is the model on this machine that may split texts."""
        wanted = self.claim_extractor_backend or self.backend_default or of_service.LOCAL
        return self.model_extraction_off is None and wanted == of_service.LOCAL

    @property
    def gate_rules(self) -> GateRules:
        """What the memory gate asks of a fact, for the domain."""
        return self._rules(GateRules, "memory_gate")

    @property
    def assessment_rules(self) -> AssessmentRules:
        """What decides on a response, for the domain."""
        return self._rules(AssessmentRules, "response_assessment")

    @property
    def corpus_rules(self) -> CorpusRules:
        """What evidence is to a claim and what that is worth, for the domain."""
        return CorpusRules(
            self._rules(RiskRules, "epistemic_risk_calibration", "epistemic_risk_verdict"),
            self.retrieval_top_k,
            asks_model=self.epistemic_risk_calibration_raw_confidence == "model",
        )

    def verification(
        self, calibration: Calibration | None, wanted: Strictness | None = None
    ) -> VerifyOptions:
        """What a request gets from a model that is calibrated so.

        `wanted` is the strictness that the request chooses, if it does; it chooses nothing else.
        """
        strictness = wanted or Strictness(self.verify_strictness)
        own = self.verify_default_confidence if wanted is None else None
        point = None
        if own is None and calibration is not None:
            point = calibration.operating_points.get(strictness)
        thresholds = self._named(Thresholds, "verify")
        bars = {} if calibration is None else calibration.bars
        thresholds |= {_BARS[bar]: value for bar, value in bars.items()}
        if own is None:
            thresholds["default_confidence"] = (
                UNCALIBRATED_CONFIDENCE if calibration is None else _THRESHOLDS.default_confidence
            )
        if point is not None:
            thresholds["default_confidence"] = point
        # Asked for less, a claim needs no more.
        asked = thresholds["default_confidence"]
        thresholds.setdefault("min_posterior", min(asked, _THRESHOLDS.min_posterior))
        return VerifyOptions(
            policy=Policy[self.verify_policy.upper()],
            thresholds=Thresholds(**thresholds),
            strictness=None if point is None else strictness,
            confidence_source=(
                ConfidenceSource.DEFAULT if wanted is None else ConfidenceSource.REQUEST
            ),
            verify_instructions=self.verify_instructions,
            skip_non_evidence=self.verify_skip_non_evidence,
            read=Read(self.verify_read),
            prior_reading=PriorReading(self.verify_prior_reading),
            max_claims=min(self.verify_max_claims, self.max_claims),
        )

    def _rules(self, kind: type[R], *prefixes: str) -> R:
        """Rules of the domain with the values of the settings that bear their names.

        What is unset, or no setting, is as the domain has it.
        """
        return kind(**self._named(kind, *prefixes))

    def _named(self, kind: type[R], *prefixes: str) -> dict[str, Any]:
        settings = [
            (f"{prefix}_{each.name}", each.name) for prefix in prefixes for each in fields(kind)
        ]
        given = self.model_dump(include={setting for setting, _ in settings}, exclude_none=True)
        return {name: given[setting] for setting, name in settings if setting in given}

    @model_validator(mode="before")
    @classmethod
    def _imply_block(cls, given: dict[str, object]) -> dict[str, object]:
        """Whoever names a feature's switch means that of the block, too."""
        if BLOCK_SWITCH not in given and any(is_on(given.get(name)) for name in SWITCHES):
            return given | {BLOCK_SWITCH: True}
        return given

    @model_validator(mode="after")
    def _check_thresholds(self) -> "ServerSettings":
        low, high = (
            self.epistemic_risk_verdict_hallucination_threshold,
            self.epistemic_risk_verdict_grounded_threshold,
        )
        if low > high:
            raise ValueError(
                f"epistemic_risk_verdict_hallucination_threshold ({low:g}) is above "
                f"epistemic_risk_verdict_grounded_threshold ({high:g}): lower it"
            )
        self._check_reachable()
        return self

    def _check_reachable(self) -> None:
        """Refuse what would keep every claim from being supported, or every fact from being stored.

        Anthropic's API alone is known to be sampled before it is asked.
        """
        own = self.verify_default_confidence
        asked = _THRESHOLDS.default_confidence if own is None else own
        alone = (entry for entry in self.backends if entry.name == self.backend_type)
        samples = next((entry.samples for entry in alone if entry.api == "anthropic"), 0)
        found = self._unreachable(asked, samples)
        if found is not None:
            raise ValueError(found)

    def unreachable(self, calibration: Calibration | None, samples: int) -> str | None:
        """Why no claim would be supported, or no fact stored, on a backend; None if some would.

        It is calibrated so, and `samples` answers are sampled of it for a prompt, 0 if none is.
        """
        return self._unreachable(
            self.verification(calibration).thresholds.default_confidence, samples
        )

    def _unreachable(self, asked: float, samples: int) -> str | None:
        """The same where claims that state no confidence are asked for so much."""
        if self.memory_gate_min_confidence > asked:
            return (
                f"memory_gate_min_confidence ({self.memory_gate_min_confidence:g}) is above the "
                f"confidence of a fact that states none ({asked:.3g}), so none of them would ever "
                "be stored: lower it, or raise verify_default_confidence"
            )
        most = wilson(samples, samples).low if samples else 1.0
        for name, bar in (
            ("verify_default_confidence", self.verify_default_confidence),
            ("verify_min_posterior", self.verify_min_posterior),
        ):
            if bar is not None and bar > most:
                return (
                    f"{name} ({bar:g}) is above what {samples} samples that all say YES can bear "
                    f"({most:.3f}), so no claim would ever be supported: lower it, or raise "
                    "samples of the backend"
                )
        return None

    @model_validator(mode="after")
    def _check_together(self) -> "ServerSettings":
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file need each other: set both or none")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file and tls_key_file")
        if self.audit_record_otlp and self.otlp_endpoint is None:
            raise ValueError("audit_record_otlp needs otlp_endpoint: set where the lines go")
        if self.audit_record_otlp and not (self.audit_record_file or self.audit_record_key_file):
            raise ValueError(
                "audit_record_otlp needs audit_record_key_file where audit_record_file is unset: "
                "name the file that holds the key of the hashes"
            )
        if self.max_pending_claims < self.max_claims:
            raise ValueError(
                f"max_pending_claims ({self.max_pending_claims}) is below max_claims "
                f"({self.max_claims}), so a full batch could never run: raise it"
            )
        if self.max_pending_bytes < self.max_message_bytes:
            raise ValueError(
                f"max_pending_bytes ({self.max_pending_bytes}) is below max_message_bytes "
                f"({self.max_message_bytes}), so a full message could never run: raise it"
            )
        self._check_assessment()
        if 2 * self.retrieval_chunk_overlap > self.retrieval_chunk_size:
            raise ValueError(
                f"retrieval_chunk_overlap ({self.retrieval_chunk_overlap}) is more than half of "
                f"retrieval_chunk_size ({self.retrieval_chunk_size}): lower it"
            )
        return self

    def _check_assessment(self) -> None:
        prefix = "response_assessment"
        verify, warn = (
            self.response_assessment_verify_threshold,
            self.response_assessment_warn_threshold,
        )
        if not verify <= warn <= self.response_assessment_block_threshold:
            raise ValueError(
                f"{prefix}_verify_threshold, {prefix}_warn_threshold and {prefix}_block_threshold "
                "must not fall in this order"
            )
        if not any(self.assessment_rules.layer_weights.values()):
            raise ValueError(
                f"the weights {prefix}_weight_* are all 0, so there would never be a confidence: "
                "raise one"
            )


def secrets_of(settings: ServerSettings) -> Iterator[tuple[str, SecretStr]]:
    """The secrets that the settings hold, each with its place."""
    for name in ServerSettings.model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            yield name, value
    for entry in settings.backends:
        if entry.key is not None:
            yield f"key of {entry.name} in backends", entry.key


GROUPS = tuple(group for group in ServerSettings.__bases__[::-1] if issubclass(group, Strict))
"""The settings by subject, what is rarely changed last. The docstring of each is its title."""

SWITCHES = tuple(
    name
    for name in ServerSettings.model_fields
    if name.endswith("_enabled") and name != BLOCK_SWITCH
)
"""The switches of the features that BLOCK_SWITCH switches together."""


class ClientSettings(Strict):
    """Commands that call a server"""

    target: str = "127.0.0.1:50051"
    """Address and port of the server."""
    token: SecretStr | None = None
    """The bearer token to send. Unset: none."""
    ca_file: Path | None = None
    """PEM certificates to check the server's with; turns TLS on. Unset: no TLS."""
    cert_file: Path | None = None
    """PEM certificate of this client, for mutual TLS. Unset: none."""
    key_file: Path | None = None
    """PEM private key of this client. Unset: none."""
    server_name: str | None = None
    """The name that the server's certificate has. Unset: the host of target."""
    allow_plaintext: bool = False
    """Speak without TLS to an address that is not loopback."""
    timeout_s: Seconds = 60.0
    """Seconds that one call may take."""
