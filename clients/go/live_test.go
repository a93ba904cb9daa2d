package groundwire_test

import (
	"errors"
	"math"
	"os"
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
