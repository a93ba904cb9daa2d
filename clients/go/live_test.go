package groundwire_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	groundwire "github.com/groundwire/groundwire/clients/go"
)

// targetVariable names the server for the tests of this file.
const targetVariable = "GROUNDWIRE_TEST_TARGET"

// maxDifference is how far the probability of a claim may differ between a
// batch and a call of its own: the model computes in a low precision, and the
// company in a batch changes the rounding.
const maxDifference = 0.05

const liveEvidence = "The Rhine rises in the Swiss Alps and flows into the North Sea near Rotterdam."

var liveClaims = []string{
	"The Rhine flows into the North Sea.",
	"The Rhine rises in Norway.",
	"The Rhine rises in the Alps.",
}

// liveRequest has an answer whose claims cite one source each, the last of them
// one that is not there.
var liveRequest = groundwire.AnswerRequest{
	Question: "Where does the Rhine flow?",
	Answer: "The Rhine rises in the Swiss Alps [S0]. The Rhine flows into the North Sea [S1]. " +
		"The Rhine is 9,000 kilometres long [S7].",
	Evidence: groundwire.DocumentEvidence(
		groundwire.Document{ID: "S0", Title: "Source", Text: "The Rhine rises in the Swiss Alps."},
		groundwire.Document{ID: "S1", Text: "Near Rotterdam the Rhine flows into the North Sea."},
	),
}

// live returns a client of a running server, or skips the test.
func live(t *testing.T) *groundwire.Client {
	t.Helper()
	target := os.Getenv(targetVariable)
	if target == "" {
		t.Skipf("%s is not set: give the address of a running server, such as 127.0.0.1:50051", targetVariable)
	}
	client, err := groundwire.New(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// mustViolate fails the test unless the error is an invalid request with this
// reason and this field.
func mustViolate(t *testing.T, err error, reason, field string) {
	t.Helper()
	var e *groundwire.Error
	if !errors.Is(err, groundwire.ErrInvalidRequest) || !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if e.Reason != reason || len(e.Violations) != 1 || e.Violations[0].Field != field {
		t.Errorf("got %+v", e)
	}
}

func TestLiveServerIsServing(t *testing.T) {
	info, err := live(t).ServerInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.State != groundwire.StateServing || len(info.Backends) == 0 || info.Model == "" || info.Limits.MaxClaims < 1 {
		t.Errorf("got %+v", info)
	}
}

func TestLiveBatchHasOneEstimateForEachClaim(t *testing.T) {
	batch, err := live(t).Estimates(t.Context(), liveClaims, liveEvidence)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Estimates) != len(liveClaims) {
		t.Fatalf("%d estimates for %d claims", len(batch.Estimates), len(liveClaims))
	}
	for i, estimate := range batch.Estimates {
		switch {
		case estimate.OK && !(estimate.Probability >= 0 && estimate.Probability <= 1 && estimate.Reason == ""):
			t.Errorf("estimate %d is %+v", i, estimate)
		case !estimate.OK && estimate.Reason == "":
			t.Errorf("estimate %d has neither a probability nor a reason: %+v", i, estimate)
		}
	}
}

func TestLiveBatchAgreesWithSingleCalls(t *testing.T) {
	client := live(t)
	batch, err := client.Estimates(t.Context(), liveClaims, liveEvidence)
	if err != nil {
		t.Fatal(err)
	}
	for i, claim := range liveClaims {
		single, err := client.Estimate(t.Context(), claim, liveEvidence)
		if err != nil {
			t.Fatal(err)
		}
		inBatch := batch.Estimates[i]
		if single.OK && inBatch.OK && math.Abs(single.Probability-inBatch.Probability) > maxDifference {
			t.Errorf("claim %d: %v alone, %v in the batch", i, single.Probability, inBatch.Probability)
		}
		if math.Abs(single.LabelMass-inBatch.LabelMass) > maxDifference {
			t.Errorf("claim %d: label mass %v alone, %v in the batch", i, single.LabelMass, inBatch.LabelMass)
		}
	}
}

func TestLiveBatchWithoutClaimsIsInvalid(t *testing.T) {
	_, err := live(t).Estimates(t.Context(), nil, liveEvidence)
	mustViolate(t, err, groundwire.ReasonEmptyBatch, "claims")
}

func TestLiveUnknownBackendIsInvalid(t *testing.T) {
	_, err := live(t).Estimate(t.Context(), liveClaims[0], liveEvidence, groundwire.WithBackend("no-such-backend"))
	mustViolate(t, err, groundwire.ReasonUnknownBackend, "backend")
}

// mustBeAboutTheRhine fails the test unless the claims are those of liveRequest
// and the one that cites no source is not verified. What the model says of the
// others is no matter of the client: it has checked that their numbers carry
// their verdicts.
func mustBeAboutTheRhine(t *testing.T, report *groundwire.Report) {
	t.Helper()
	if len(report.Claims) != 3 || report.Summary.TotalClaims != 3 || report.Summary.SkippedClaims != 0 {
		t.Fatalf("got %+v of %+v", report.Summary, report.Claims)
	}
	for i, id := range []string{"S0", "S1", "S7"} {
		claim := report.Claims[i]
		if cited := claim.CitedIDs; len(cited) != 1 || cited[0] != id || strings.Contains(claim.Content, id) {
			t.Errorf("claim %d is %+v", i, claim)
		}
		if at := claim.Citations[0].Span.Of(liveRequest.Answer); at != "["+id+"]" {
			t.Errorf("the citation of claim %d is at %q", i, at)
		}
		if read := claim.Posterior != nil && claim.Prior != nil; !read && id != "S7" {
			t.Errorf("claim %d was not read: %+v", i, claim)
		}
	}
	last := report.Claims[2]
	if last.Verdict != groundwire.VerdictNotVerified || last.Reason != groundwire.VerdictReasonUnknownCitation || last.Grounded {
		t.Errorf("a claim that cites what is not there is %+v", last)
	}
}

func TestLiveAnswerIsVerified(t *testing.T) {
	client := live(t)
	for _, policy := range []groundwire.Policy{groundwire.PolicyBudget, groundwire.PolicyGroundingScore} {
		t.Run(string(policy), func(t *testing.T) {
			asked := liveRequest
			asked.Options = groundwire.VerifyOptions{
				Policy: policy, AttributeCitations: true,
			}
			report, err := client.VerifyAnswer(t.Context(), asked)
			if err != nil {
				t.Fatal(err)
			}
			mustBeAboutTheRhine(t, report)
			first := report.Claims[0]
			if len(first.CitationRoles) != 1 || first.CitationRoles[0].ID != "S0" {
				t.Errorf("got %+v", first)
			}
			if report.Run.Policy != policy || report.Run.Model == "" {
				t.Errorf("got %+v", report.Run)
			}
		})
	}
}

func TestLiveAnswerIsVerifiedPieceByPiece(t *testing.T) {
	var known int
	var report *groundwire.Report
	for event, err := range live(t).VerifyAnswerStream(t.Context(), liveRequest) {
		if err != nil {
			t.Fatal(err)
		}
		switch event := event.(type) {
		case *groundwire.ClaimKnown:
			known++
		case *groundwire.Report:
			report = event
		}
	}
	if report == nil || known != 3 {
		t.Fatalf("%d verdicts, and then the report %+v", known, report)
	}
	mustBeAboutTheRhine(t, report)
}

func TestLiveAnswerIsVerifiedWhileItIsWritten(t *testing.T) {
	client := live(t)
	draft, err := client.VerifyDraft(t.Context(), groundwire.DraftRequest{
		AnswerRequest: groundwire.AnswerRequest{Evidence: liveRequest.Evidence},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	for piece := range strings.SplitAfterSeq(liveRequest.Answer, " ") {
		if err := draft.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := draft.End(); err != nil {
		t.Fatal(err)
	}
	verdicts := map[int]groundwire.Verdict{}
	var report *groundwire.Report
	for event, err := range draft.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch event := event.(type) {
		case *groundwire.DraftVerdict:
			verdicts[event.Index] = event.Claim.Verdict
		case *groundwire.Report:
			report = event
		}
	}
	if report == nil || len(verdicts) != 3 {
		t.Fatalf("%v, and then the report %+v", verdicts, report)
	}
	mustBeAboutTheRhine(t, report)
}

func TestLiveClaimsAreExtractedAndVerified(t *testing.T) {
	client := live(t)
	extracted, err := client.ExtractClaims(t.Context(), liveRequest.Answer, groundwire.ExtractOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var inputs []groundwire.ClaimInput
	for _, claim := range extracted.Claims {
		inputs = append(inputs, claim.Input())
	}
	verified, err := client.VerifyClaims(t.Context(), inputs, liveRequest.Evidence, groundwire.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(verified.Claims) != 3 || verified.Claims[2].Reason != groundwire.VerdictReasonUnknownCitation {
		t.Errorf("got %+v", verified.Claims)
	}
}

func TestLiveRequestsThatCannotBeVerifiedAreInvalid(t *testing.T) {
	client := live(t)
	blank, bare, odd := liveRequest, liveRequest, liveRequest
	blank.Answer = " "
	bare.Evidence = groundwire.Evidence{}
	odd.Options.Thresholds.MinPosterior = new(1.5)
	for reason, asked := range map[string]groundwire.AnswerRequest{
		groundwire.ReasonEmptyText:     blank,
		groundwire.ReasonInvalidSource: bare,
		groundwire.ReasonInvalidOption: odd,
	} {
		_, err := client.VerifyAnswer(t.Context(), asked)
		var e *groundwire.Error
		if !errors.Is(err, groundwire.ErrInvalidRequest) || !errors.As(err, &e) || e.Reason != reason {
			t.Errorf("got %v, not %s", err, reason)
		}
	}
}

func TestLiveGateDecidesOnEachFact(t *testing.T) {
	client := live(t)
	evidence := groundwire.ContextEvidence(liveEvidence)
	facts := []groundwire.Fact{{Text: liveClaims[0], ID: "a"}, {Text: liveClaims[1], ID: "b", Confidence: new(0.9)}}
	checked, err := client.CheckFacts(t.Context(), facts, evidence)
	if err != nil {
		t.Fatal(err)
	}
	for i, fact := range checked.Facts {
		if fact.ID != facts[i].ID || fact.Text != facts[i].Text || fact.Decision == "" || fact.Confidence > fact.StatedConfidence {
			t.Errorf("fact %d is %+v", i, fact)
		}
	}
	_, err = client.CheckFacts(t.Context(), []groundwire.Fact{{Text: " "}}, evidence)
	mustViolate(t, err, groundwire.ReasonEmptyClaim, "facts[0].text")
}

func TestLiveAnOutputIsVerifiedInTheBackground(t *testing.T) {
	client := live(t)
	submitted, err := client.SubmitVerification(t.Context(), groundwire.Output{
		Response: "The Rhine rises in the Swiss Alps. The Rhine is 9,000 kilometres long [S7].",
		Turns:    []groundwire.Turn{{Role: groundwire.TurnTool, Text: liveEvidence, ID: "search"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var last *groundwire.VerificationStatus
	for status, err := range client.WatchVerification(t.Context(), submitted.ID) {
		if err != nil {
			t.Fatal(err)
		}
		last = status
	}
	if last == nil || last.State != groundwire.VerificationDone {
		t.Fatalf("got %+v", last)
	}
	if got := last.Result; got.RiskBits <= 0 || !strings.Contains(got.Instruction, "[S7]") || len(got.Report.Claims) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestLiveAResponseIsAssessed(t *testing.T) {
	client := live(t)
	exchange := groundwire.Exchange{
		Question: "What is the weather?", Response: "It's currently 12 °C with light snow.",
		ToolCalls: []groundwire.ToolCall{{Name: "get_weather", Arguments: "{}", Result: new(`{"temp_c": 3}`)}},
	}
	found, err := client.AssessResponse(t.Context(), exchange)
	if err != nil {
		t.Fatal(err)
	}
	if found.SuggestedAction == groundwire.ActionNone || found.Reasons[0].Kind != groundwire.FoundValueDiffers ||
		found.Layers[2].State != groundwire.LayerRan || len(found.Claims) != 1 {
		t.Errorf("got %+v", found)
	}
	exchange.ToolCalls[0].Result = nil
	_, err = client.AssessResponse(t.Context(), exchange)
	mustViolate(t, err, groundwire.ReasonInvalidToolCall, "tool_calls[0]")
}

func TestLiveFeedbackIsRecordedAndReplaced(t *testing.T) {
	client := live(t)
	inputs := []groundwire.ClaimInput{{Text: liveClaims[0]}}
	verified, err := client.VerifyClaims(t.Context(), inputs, groundwire.ContextEvidence(liveEvidence), groundwire.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	said := groundwire.Feedback{DetectionID: verified.Run.DetectionID, Verdict: groundwire.FeedbackGrounded}
	for _, replaces := range []bool{false, true} {
		recorded, err := client.RecordFeedback(t.Context(), said)
		if err != nil {
			t.Fatal(err)
		}
		if recorded.Replaced != replaces {
			t.Errorf("got %+v, want Replaced %v", recorded, replaces)
		}
	}
	said.Index = 1
	if _, err = client.RecordFeedback(t.Context(), said); !errors.Is(err, groundwire.ErrNotFound) {
		t.Errorf("got %v for a verdict that is not there", err)
	}
}
