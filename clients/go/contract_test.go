package groundwire_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// verify verifies as many claims as the server has verdicts for.
func verify(t *testing.T, given ...*pb.ClaimVerdict) (*groundwire.VerifiedClaims, error) {
	t.Helper()
	claims := make([]groundwire.ClaimInput, len(given))
	return connect(t, verdicts(given...)).VerifyClaims(t.Context(), claims, groundwire.Evidence{}, groundwire.VerifyOptions{})
}

// mustBreach fails the test unless the error says that the response is against
// the contract, by these words.
func mustBreach(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, groundwire.ErrInternal) || !strings.Contains(err.Error(), "bad response") ||
		!strings.Contains(err.Error(), words) {
		t.Errorf("got %v, which does not say %q", err, words)
	}
}

func TestAnUncertainVerdictIsNotGrounded(t *testing.T) {
	got, err := verify(t, uncertain())
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Claims[0]; v.Verdict != groundwire.VerdictUncertain || v.Grounded || v.P1() != 0.47 {
		t.Errorf("got %+v", v)
	}
}

func TestAServerThatKnowsNoUncertainVerdictHasFewerThresholds(t *testing.T) {
	got, err := connect(t, reporting(edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Run.Thresholds.MaxUnsupportedPosterior, r.Run.Thresholds.MinMiscitation = nil, nil
		r.Summary.ReviewOrder = nil
	}))).VerifyAnswer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if of := got.Run.Thresholds; of.MaxUnsupportedPosterior != nil || of.MinMiscitation != nil || got.Summary.ReviewOrder != nil {
		t.Errorf("got %+v, %+v", of, got.Summary)
	}
}

func TestWhatIsNewerThanTheClientIsPassedOnButNeverGrounded(t *testing.T) {
	got, err := verify(t, edit(contradicted(), func(v *pb.ClaimVerdict) {
		v.Verdict, v.Reason, v.CitationStatus, v.ConfidenceSource = 99, 98, 97, 96
	}))
	if err != nil {
		t.Fatal(err)
	}
	v := got.Claims[0]
	if v.Verdict != "99" || v.Reason != "98" || v.CitationStatus != "97" || v.ConfidenceSource != "96" || v.Grounded {
		t.Errorf("got %+v", v)
	}
}

func TestTheNamesAreThoseOfTheContract(t *testing.T) {
	cases := []struct {
		prefix   string
		contract map[int32]string
		names    string
	}{
		{"VERDICT_", pb.Verdict_name, names(groundwire.VerdictSupported, groundwire.VerdictUnsupported,
			groundwire.VerdictContradicted, groundwire.VerdictPriorKnowledge, groundwire.VerdictNotVerified, groundwire.VerdictMiscited,
			groundwire.VerdictUncertain)},
		{"VERDICT_REASON_", pb.VerdictReason_name, names(groundwire.VerdictReasonBudgetCovered,
			groundwire.VerdictReasonScoreReached, groundwire.VerdictReasonBudgetExceeded,
			groundwire.VerdictReasonLowPosterior, groundwire.VerdictReasonScoreMissed,
			groundwire.VerdictReasonEvidenceAgainst, groundwire.VerdictReasonEvidenceUnused,
			groundwire.VerdictReasonModelSaysNo, groundwire.VerdictReasonHighPrior,
			groundwire.VerdictReasonUnknownCitation, groundwire.VerdictReasonLabelMassBelowFloor,
			groundwire.VerdictReasonNonAssertive, groundwire.VerdictReasonTooShort,
			groundwire.VerdictReasonBeyondMaxClaims, groundwire.VerdictReasonTooLong,
			groundwire.VerdictReasonOutOfTime, groundwire.VerdictReasonBackendFailed, groundwire.VerdictReasonOtherSource,
			groundwire.VerdictReasonIntervalTooWide, groundwire.VerdictReasonTooFewSamples,
			groundwire.VerdictReasonIncomplete, groundwire.VerdictReasonCorroborated,
			groundwire.VerdictReasonFalseAbsence, groundwire.VerdictReasonUnstatedCode,
			groundwire.VerdictReasonCellSaysOtherwise)},
		{"CITATION_STATUS_", pb.CitationStatus_name, names(
			groundwire.CitationsNone, groundwire.CitationsKnown, groundwire.CitationsUnknown)},
		{"CONFIDENCE_SOURCE_", pb.ConfidenceSource_name, names(
			groundwire.ConfidenceStated, groundwire.ConfidenceInferred, groundwire.ConfidenceOfRequest,
			groundwire.ConfidenceDefault)},
		{"NON_ASSERTIVE_REASON_", pb.NonAssertiveReason_name, names(groundwire.NonAssertiveQuestion,
			groundwire.NonAssertiveInstruction, groundwire.NonAssertiveHedged, groundwire.NonAssertiveCode,
			groundwire.NonAssertiveHeading, groundwire.NonAssertiveLeadIn, groundwire.NonAssertiveAbsence)},
		{"CITATION_STYLE_", pb.CitationStyle_name, names(
			groundwire.CitationSquare, groundwire.CitationCaret, groundwire.CitationLenticular)},
		{"POLICY_", pb.Policy_name, names(groundwire.PolicyBudget, groundwire.PolicyGroundingScore)},
		{"CALIBRATION_METHOD_", pb.CalibrationMethod_name, names(
			groundwire.CalibrationPlatt, groundwire.CalibrationIsotonic)},
		{"STRICTNESS_", pb.Strictness_name, names(groundwire.StrictnessBalanced,
			groundwire.StrictnessStrict, groundwire.StrictnessLenient)},
		{"GATE_DECISION_", pb.GateDecision_name, names(groundwire.GateAccepted, groundwire.GateRejected,
			groundwire.GateAcceptedUnverified, groundwire.GateAcceptedUnsupported)},
		{"GATE_REASON_", pb.GateReason_name, names(groundwire.GateReasonGrounded, groundwire.GateReasonFactNotGrounded,
			groundwire.GateReasonContradicted, groundwire.GateReasonBelowMinConfidence, groundwire.GateReasonOutOfTime,
			groundwire.GateReasonOverloaded, groundwire.GateReasonBackendUnavailable)},
		{"ROLE_", pb.Role_name, names(groundwire.RoleCarries, groundwire.RoleRedundant, groundwire.RoleDecoration)},
		{"STEP_STATUS_", pb.StepStatus_name, names(groundwire.StepEntailed, groundwire.StepContradicted,
			groundwire.StepNotInContext, groundwire.StepUnverifiable)},
		{"UNVERIFIABLE_REASON_", pb.UnverifiableReason_name, names(groundwire.UnverifiableNonAssertive,
			groundwire.UnverifiablePlan, groundwire.UnverifiableNoEvidence,
			groundwire.UnverifiableLabelMassBelowFloor, groundwire.UnverifiableTooLong,
			groundwire.UnverifiableOutOfTime, groundwire.UnverifiableBackendFailed,
			groundwire.UnverifiableIntervalTooWide, groundwire.UnverifiableTooFewSamples,
			groundwire.UnverifiableVague, groundwire.UnverifiableToolCall)},
		{"POST_HOC_STATUS_", pb.PostHocStatus_name, names(groundwire.PostHocFollows, groundwire.PostHocMismatch,
			groundwire.PostHocNotChecked)},
		{"POST_HOC_REASON_", pb.PostHocReason_name, names(groundwire.PostHocSameAnswer, groundwire.PostHocOtherAnswer,
			groundwire.PostHocNoAnswerDerived, groundwire.PostHocStepsSupport, groundwire.PostHocStepsDoNotSupport,
			groundwire.PostHocOtherConclusion, groundwire.PostHocNoAnswer, groundwire.PostHocNotAsked,
			groundwire.PostHocUnreadable, groundwire.PostHocOutOfTime, groundwire.PostHocBackendFailed)},
		{"POST_HOC_EXECUTOR_", pb.PostHocExecutor_name, names(groundwire.PostHocGeneration, groundwire.PostHocRead)},
		{"ASSESSMENT_LAYER_", pb.AssessmentLayer_name, names(groundwire.LayerHeuristic, groundwire.LayerCommonSense,
			groundwire.LayerDetailed)},
		{"LAYER_STATE_", pb.LayerState_name, names(groundwire.LayerRan, groundwire.LayerSkipped,
			groundwire.LayerFailed)},
		{"LAYER_REASON_", pb.LayerReason_name, names(groundwire.LayerNotAsked, groundwire.LayerNotFlagged,
			groundwire.LayerNoToolResult, groundwire.LayerNoClaim, groundwire.LayerBackendUnavailable,
			groundwire.LayerOutOfTime, groundwire.LayerNotAnswered, groundwire.LayerTooLong, groundwire.LayerBusy)},
		{"SUGGESTED_ACTION_", pb.SuggestedAction_name, names(groundwire.ActionNone, groundwire.ActionVerify,
			groundwire.ActionWarn, groundwire.ActionBlock)},
		{"COMMON_SENSE_VERDICT_", pb.CommonSenseVerdict_name, names(groundwire.SenseOK, groundwire.SenseQuestionable,
			groundwire.SenseLikelyFabricated)},
		{"ASSESSMENT_REASON_KIND_", pb.AssessmentReasonKind_name, names(groundwire.FoundLiveData,
			groundwire.FoundCurrency, groundwire.FoundNumber, groundwire.FoundValueDiffers,
			groundwire.FoundOverPrecise, groundwire.FoundUncertain, groundwire.FoundMakesNoSense,
			groundwire.FoundContradictsItself, groundwire.FoundLiveDataWithoutCall, groundwire.FoundVagueAsFact,
			groundwire.FoundFabricated, groundwire.FoundNotAnswered, groundwire.FoundClaimContradicted,
			groundwire.FoundClaimUnsupported, groundwire.FoundClaimUnread, groundwire.FoundClaimAgainstTheRest)},
	}
	for _, c := range cases {
		var contract []string
		for number, name := range c.contract {
			if number > 0 {
				contract = append(contract, strings.TrimPrefix(name, c.prefix))
			}
		}
		if want := names(contract...); c.names != want {
			t.Errorf("got  %s\nwant %s", c.names, want)
		}
	}
}

// names joins the values of an enum, sorted.
func names[E ~string](values ...E) string {
	var joined []string
	for _, value := range values {
		joined = append(joined, string(value))
	}
	slices.Sort(joined)
	return strings.Join(joined, " ")
}

func TestAReportMaySkipForANewerReason(t *testing.T) {
	got, err := connect(t, reporting(edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Claims[2].Verdict.Reason = 99
		r.Summary.Unverified[1] = &pb.UnverifiedClaims{Reason: 99, Claims: 1}
	}))).VerifyAnswer(t.Context(), request)
	if err != nil || got.Summary.SkippedClaims != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestARequestThatCannotBeSentIsAnInvalidRequest(t *testing.T) {
	const bad = "\xff"
	with := func(change func(*groundwire.AnswerRequest)) groundwire.AnswerRequest {
		changed := request
		change(&changed)
		return changed
	}
	document := groundwire.Document{ID: "S0", Title: bad, Text: "text"}
	beyond := groundwire.Span{Start: 0, End: math.MaxInt}
	cases := map[string]struct {
		request       groundwire.AnswerRequest
		reason, field string
	}{
		"answer": {
			with(func(r *groundwire.AnswerRequest) { r.Answer = bad }), groundwire.ReasonMalformedRequest, "answer"},
		"title": {
			with(func(r *groundwire.AnswerRequest) { r.Evidence = groundwire.DocumentEvidence(document) }),
			groundwire.ReasonMalformedRequest, "evidence.sources[0].document.title"},
		"range": {
			with(func(r *groundwire.AnswerRequest) {
				r.Evidence = groundwire.ContextEvidence("text", groundwire.Range{ID: "r", Span: beyond})
			}), groundwire.ReasonInvalidSource, "evidence.sources[0].range.end"},
		"prefix": {
			with(func(r *groundwire.AnswerRequest) { r.Extract.CitationPrefixes = []string{"S", bad} }),
			groundwire.ReasonMalformedRequest, "extract.citation_prefixes[1]"},
		"style": {
			with(func(r *groundwire.AnswerRequest) { r.Extract.CitationStyles = []groundwire.CitationStyle{"ROUND"} }),
			groundwire.ReasonInvalidOption, "extract.citation_styles[0]"},
		"marker": {
			with(func(r *groundwire.AnswerRequest) { r.Options.Marker = new(bad) }),
			groundwire.ReasonMalformedRequest, "options.marker"},
		"policy": {
			with(func(r *groundwire.AnswerRequest) { r.Options.Policy = "LUCK" }),
			groundwire.ReasonInvalidOption, "options.policy"},
		"max claims": {
			with(func(r *groundwire.AnswerRequest) { r.Options.MaxClaims = new(math.MinInt) }),
			groundwire.ReasonInvalidOption, "options.max_claims"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client := connect(t, reporting(report()))
			_, err := client.VerifyAnswer(t.Context(), c.request)
			mustViolate(t, err, c.reason, c.field)
			for event, err := range client.VerifyAnswerStream(t.Context(), c.request) {
				if event != nil {
					t.Errorf("got %+v", event)
				}
				mustViolate(t, err, c.reason, "request."+c.field)
			}
		})
	}
}
