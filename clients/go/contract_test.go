package groundwire_test

import (
	"context"
	"errors"
	"maps"
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

func TestAVerdictAgainstTheContractIsAnInternalError(t *testing.T) {
	const unset = pb.Verdict_VERDICT_UNSPECIFIED
	cases := map[string]struct {
		words  string
		change func(*pb.ClaimVerdict)
	}{
		"no verdict":              {"verdict is missing", func(v *pb.ClaimVerdict) { v.Verdict = unset }},
		"no reason":               {"reason is missing", func(v *pb.ClaimVerdict) { v.Reason = 0 }},
		"no citation status":      {"citation_status is missing", func(v *pb.ClaimVerdict) { v.CitationStatus = 0 }},
		"reason of another":       {"by the reason", func(v *pb.ClaimVerdict) { v.Reason = pb.VerdictReason_VERDICT_REASON_TOO_SHORT }},
		"supported, not grounded": {"grounded is false", func(v *pb.ClaimVerdict) { v.Grounded = false }},
		"grounded, not supported": {"grounded is true", func(v *pb.ClaimVerdict) { v.Verdict = pb.Verdict_VERDICT_UNSUPPORTED }},
		"grounded, newer verdict": {"grounded is true", func(v *pb.ClaimVerdict) { v.Verdict = 99 }},
		"no posterior":            {"without p1", func(v *pb.ClaimVerdict) { v.Posterior = nil }},
		"no prior":                {"without p1", func(v *pb.ClaimVerdict) { v.Prior = nil }},
		"posterior without p1":    {"without p1", func(v *pb.ClaimVerdict) { v.Posterior = unread() }},
		"prior without p0":        {"without p1", func(v *pb.ClaimVerdict) { v.Prior = unread() }},
		"no budget":               {"without a budget", func(v *pb.ClaimVerdict) { v.Budget = nil }},
		"no score":                {"without a budget", func(v *pb.ClaimVerdict) { v.GroundingScore = nil }},
		"no evidence use":         {"without a budget", func(v *pb.ClaimVerdict) { v.EvidenceUse = nil }},
		"unknown ids":             {"the unknown ids", func(v *pb.ClaimVerdict) { v.UnknownIds = []string{"S9"} }},
		"unknown citations": {"the citation status UNKNOWN", func(v *pb.ClaimVerdict) {
			v.CitationStatus = pb.CitationStatus_CITATION_STATUS_UNKNOWN
		}},
		"newer citation status": {"the citation status 99", func(v *pb.ClaimVerdict) { v.CitationStatus = 99 }},
		"p1 above one":          {"posterior has the probability 1.5", func(v *pb.ClaimVerdict) { v.Posterior = read(1.5) }},
		"p0 below zero":         {"prior has the probability -0.5", func(v *pb.ClaimVerdict) { v.Prior = read(-0.5) }},
		"p0 NaN":                {"prior has the probability NaN", func(v *pb.ClaimVerdict) { v.Prior = read(math.NaN()) }},
		"confidence":            {"confidence is 2", func(v *pb.ClaimVerdict) { v.Confidence = 2 }},
		"score":                 {"grounding_score is 2", func(v *pb.ClaimVerdict) { v.GroundingScore = new(2.0) }},
		"evidence use":          {"evidence_use is -2", func(v *pb.ClaimVerdict) { v.EvidenceUse = new(-2.0) }},
		"budget":                {"gap_bits is NaN", func(v *pb.ClaimVerdict) { v.Budget.GapBits = math.NaN() }},
		"stance":                {"stance: no is 2", func(v *pb.ClaimVerdict) { v.Stance = &pb.Stance{No: 2} }},
		"other source": {"other_sources: probability is 2", func(v *pb.ClaimVerdict) {
			v.OtherSources = []*pb.OtherSource{{Probability: new(2.0)}}
		}},
		"drop": {"drop is 2", func(v *pb.ClaimVerdict) { v.CitationRoles = []*pb.CitationRole{{Drop: new(2.0)}} }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := verify(t, supported(), edit(supported(), c.change))
			if got != nil || !strings.Contains(err.Error(), "verdict 1") {
				t.Errorf("got %+v", got)
			}
			mustBreach(t, err, c.words)
		})
	}
}

func TestAVerdictOnAClaimThatWasNotReadIsAnInternalError(t *testing.T) {
	cases := map[string]*pb.ClaimVerdict{
		"uncertain":   {Verdict: pb.Verdict_VERDICT_UNCERTAIN, Reason: pb.VerdictReason_VERDICT_REASON_LOW_POSTERIOR},
		"unsupported": {Verdict: pb.Verdict_VERDICT_UNSUPPORTED, Reason: pb.VerdictReason_VERDICT_REASON_LOW_POSTERIOR},
		"prior":       {Verdict: pb.Verdict_VERDICT_PRIOR_KNOWLEDGE, Reason: pb.VerdictReason_VERDICT_REASON_HIGH_PRIOR},
		"miscited":    edit(miscited(), func(v *pb.ClaimVerdict) { v.ClosedBook = nil }),
		"contradicted": {
			Verdict: pb.Verdict_VERDICT_CONTRADICTED, Reason: pb.VerdictReason_VERDICT_REASON_MODEL_SAYS_NO, Posterior: read(0.1),
		},
	}
	for name, verdict := range cases {
		t.Run(name, func(t *testing.T) {
			verdict.CitationStatus = pb.CitationStatus_CITATION_STATUS_NONE
			_, err := verify(t, verdict)
			mustBreach(t, err, "without p1")
		})
	}
}

func TestACorroboratedVerdictWithoutItsReadingsIsAnInternalError(t *testing.T) {
	cases := map[string]*pb.ClaimVerdict{
		"closed book": edit(corroborated(), func(v *pb.ClaimVerdict) { v.ClosedBook = nil }),
		"cited alone": edit(corroborated(), func(v *pb.ClaimVerdict) { v.CitedAlone = nil }),
	}
	for name, verdict := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := verify(t, verdict)
			mustBreach(t, err, "without a closed book")
		})
	}
}

func TestAnUncertainVerdictHasAReasonOfUnsupportedOnes(t *testing.T) {
	got, err := verify(t, uncertain())
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Claims[0]; v.Verdict != groundwire.VerdictUncertain || v.Grounded || v.P1() != 0.47 {
		t.Errorf("got %+v", v)
	}
	for _, reason := range []pb.VerdictReason{
		pb.VerdictReason_VERDICT_REASON_EVIDENCE_AGAINST, pb.VerdictReason_VERDICT_REASON_MODEL_SAYS_NO,
	} {
		_, err := verify(t, edit(uncertain(), func(v *pb.ClaimVerdict) { v.Reason = reason }))
		mustBreach(t, err, "by the reason")
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
	}
	for _, c := range cases {
		var contract []string
		for _, number := range slices.Sorted(maps.Keys(c.contract))[1:] {
			contract = append(contract, strings.TrimPrefix(c.contract[number], c.prefix))
		}
		if want := names(contract...); c.names != want {
			t.Errorf("got  %s\nwant %s", c.names, want)
		}
	}
}

// names joins the values of an enum, in the order of the contract.
func names[E ~string](values ...E) string {
	var joined []string
	for _, value := range values {
		joined = append(joined, string(value))
	}
	return strings.Join(joined, " ")
}

func TestAnotherNumberOfVerdictsIsAnInternalError(t *testing.T) {
	for _, claims := range []int{0, 1, 3} {
		_, err := connect(t, verdicts(supported(), supported())).VerifyClaims(
			t.Context(), make([]groundwire.ClaimInput, claims), groundwire.Evidence{}, groundwire.VerifyOptions{})
		mustBreach(t, err, "2 verdicts for")
	}
}

func TestVerdictsWithoutARunAreAnInternalError(t *testing.T) {
	_, err := connect(t, detecting(scriptedDetection{
		claims: func(context.Context, *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) {
			return &pb.VerifyClaimsResponse{Verdicts: []*pb.ClaimVerdict{supported()}}, nil
		},
	})).VerifyClaims(t.Context(), make([]groundwire.ClaimInput, 1), groundwire.Evidence{}, groundwire.VerifyOptions{})
	mustBreach(t, err, "run is missing")
}

func TestAReportAgainstTheContractIsAnInternalError(t *testing.T) {
	cases := map[string]struct {
		words  string
		change func(*pb.VerifyAnswerResponse)
	}{
		"no run":       {"run is missing", func(r *pb.VerifyAnswerResponse) { r.Run = nil }},
		"no policy":    {"run: policy is missing", func(r *pb.VerifyAnswerResponse) { r.Run.Policy = 0 }},
		"no threshold": {"min_grounded_ratio is missing", func(r *pb.VerifyAnswerResponse) { r.Run.Thresholds.MinGroundedRatio = nil }},
		"threshold":    {"min_posterior is 2", func(r *pb.VerifyAnswerResponse) { r.Run.Thresholds.MinPosterior = new(2.0) }},
		"no summary":   {"summary is missing", func(r *pb.VerifyAnswerResponse) { r.Summary = nil }},
		"no verdict":   {"claim 1: there is no verdict", func(r *pb.VerifyAnswerResponse) { r.Claims[1].Verdict = nil }},
		"no claim":     {"claim 1: there is no claim", func(r *pb.VerifyAnswerResponse) { r.Claims[1].Claim = nil }},
		"no span":      {"span is 0 to 0", func(r *pb.VerifyAnswerResponse) { r.Claims[0].Claim.Span = nil }},
		"span":         {"span is 0 to 58 of 57", func(r *pb.VerifyAnswerResponse) { r.Claims[0].Claim.Span.End = 58 }},
		"citation": {"citations: span is", func(r *pb.VerifyAnswerResponse) {
			r.Claims[0].Claim.Citations[0].Span.Start = 32
		}},
		"confidence":        {"confidence is 2", func(r *pb.VerifyAnswerResponse) { r.Claims[0].Claim.Confidence = new(2.0) }},
		"no confidence":     {"confidence is missing", func(r *pb.VerifyAnswerResponse) { r.Claims[0].Claim.Confidence = nil }},
		"confidence source": {"confidence_source is missing", func(r *pb.VerifyAnswerResponse) { r.Claims[0].Claim.ConfidenceSource = 0 }},
		"grounded claims":   {"2 grounded claims", func(r *pb.VerifyAnswerResponse) { r.Summary.GroundedClaims = 2 }},
		"skipped claims": {"2 skipped claims", func(r *pb.VerifyAnswerResponse) {
			r.Summary.SkippedClaims, r.Summary.TotalClaims, r.Summary.GroundingRatio = 2, 1, 1
		}},
		"total claims":    {"1 claims in total", func(r *pb.VerifyAnswerResponse) { r.Summary.TotalClaims = 1 }},
		"grounding ratio": {"the grounding ratio 1", func(r *pb.VerifyAnswerResponse) { r.Summary.GroundingRatio = 1 }},
		"overall grounded": {"grounded as a whole", func(r *pb.VerifyAnswerResponse) {
			r.Summary.OverallGrounded = true
		}},
		"overall grounded, nothing verified": {"grounded as a whole", func(r *pb.VerifyAnswerResponse) {
			r.Claims, r.Run.Thresholds.MinGroundedRatio = r.Claims[1:2], new(0.0)
			r.Summary = &pb.AnswerSummary{OverallGrounded: true, TotalClaims: 1}
		}},
		"overall grounded, no claim grounded": {"0 claims grounded and 0 not read", func(r *pb.VerifyAnswerResponse) {
			r.Claims[0].Verdict, r.Run.Thresholds.MinGroundedRatio = contradicted(), new(0.0)
			r.Summary.OverallGrounded, r.Summary.GroundedClaims, r.Summary.GroundingRatio = true, 0, 0
		}},
		"overall grounded, a claim not read": {"1 claims grounded and 1 not read", leavingUnread(pb.VerdictReason_VERDICT_REASON_BEYOND_MAX_CLAIMS)},
		"overall grounded, out of time":      {"1 claims grounded and 1 not read", leavingUnread(pb.VerdictReason_VERDICT_REASON_OUT_OF_TIME)},
		"overall grounded, engine failed":    {"1 claims grounded and 1 not read", leavingUnread(pb.VerdictReason_VERDICT_REASON_BACKEND_FAILED)},
		"overall grounded, too many contradicted": {"with 1 contradicted claims, more than 0", func(r *pb.VerifyAnswerResponse) {
			r.Claims[1].Verdict, r.Summary.Unverified = contradicted(), r.Summary.Unverified[1:]
			r.Run.Thresholds.MinGroundedRatio, r.Run.Thresholds.MaxContradicted = new(0.0), new(int32(0))
			r.Summary.OverallGrounded = true
		}},
		"complete, a claim not read": {"it is complete with 1 claims not read", func(r *pb.VerifyAnswerResponse) {
			leavingUnread(pb.VerdictReason_VERDICT_REASON_OUT_OF_TIME)(r)
			r.Summary.OverallGrounded, r.Summary.Complete = false, true
		}},
		"verified share": {"verified_share is NaN", func(r *pb.VerifyAnswerResponse) {
			r.Summary.VerifiedShare = math.NaN()
		}},
		"uncertain claims": {"it counts 1 uncertain claims, of 0", func(r *pb.VerifyAnswerResponse) {
			r.Summary.UncertainClaims = 1
		}},
		"a claim reviewed twice": {"its review order is [1 1]", func(r *pb.VerifyAnswerResponse) {
			r.Summary.ReviewOrder = []int32{1, 1}
		}},
		"a claim that is not there": {"its review order is [3]", func(r *pb.VerifyAnswerResponse) {
			r.Summary.ReviewOrder = []int32{3}
		}},
		"a kind left out":     {"does not name the claims", func(r *pb.VerifyAnswerResponse) { r.Summary.Unverified = nil }},
		"a count that is off": {"does not name the claims", func(r *pb.VerifyAnswerResponse) { r.Summary.Unverified[0].Claims = 2 }},
		"no kind of a count":  {"unverified: reason is missing", func(r *pb.VerifyAnswerResponse) { r.Summary.Unverified[0].Reason = 0 }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := connect(t, reporting(edit(report(), c.change))).VerifyAnswer(t.Context(), request)
			if got != nil {
				t.Errorf("got %+v", got)
			}
			mustBreach(t, err, c.words)
		})
	}
}

// leavingUnread makes a report of a grounded claim and one that is left unread
// for a reason, which calls itself grounded.
func leavingUnread(reason pb.VerdictReason) func(*pb.VerifyAnswerResponse) {
	return func(r *pb.VerifyAnswerResponse) {
		r.Claims = []*pb.AnswerClaim{r.Claims[0], r.Claims[2]}
		r.Claims[1].Verdict = notVerified(reason)
		r.Summary = &pb.AnswerSummary{
			OverallGrounded: true, GroundedClaims: 1, TotalClaims: 1, GroundingRatio: 1, SkippedClaims: 1,
		}
	}
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
