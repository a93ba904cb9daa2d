package groundwire

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// DefaultGateTimeout is the most that a check of a [MemoryGate] takes: the
// server decides within 2 s, and the rest is for the way there and back.
const DefaultGateTimeout = 2500 * time.Millisecond

// DefaultUnverifiedFactor is what the stated confidence of a fact is multiplied
// with that nobody could verify since the call failed.
const DefaultUnverifiedFactor = 0.5

// plainConfidence is what a fact counts as stated with that states nothing,
// where no server says otherwise.
const plainConfidence = 0.95

// FactChecker is what a [MemoryGate] asks. [Client] is one.
type FactChecker interface {
	// CheckFacts decides which facts may be stored.
	CheckFacts(ctx context.Context, facts []Fact, evidence Evidence, opts ...CallOption) (*CheckedFacts, error)
}

var _ FactChecker = (*Client)(nil)

// MemoryGate stands in front of a store of facts: only what passes is written,
// and nothing that goes wrong with the verification holds it up. It is safe for
// concurrent use if its fields are not changed.
//
// Facts that nobody could check since the call failed are stored with a reduced
// confidence, or skipped. A request that the server refuses is no such failure:
// its facts are rejected, since a bad one would open the gate for the others.
type MemoryGate struct {
	// Client asks the server. Required.
	Client FactChecker
	// Timeout is the most that a check may take. 0: [DefaultGateTimeout].
	Timeout time.Duration
	// SkipUnverified skips facts that nobody could verify, whoever decided so,
	// instead of storing them with a reduced confidence.
	SkipUnverified bool
	// UnverifiedFactor, in [0, 1], is what the stated confidence of a fact is
	// multiplied with if the call fails. Nil: [DefaultUnverifiedFactor]. Where
	// the server answers, its own setting counts.
	UnverifiedFactor *float64
	// Logger is told of calls that fail, without any text of a fact. Nil:
	// [slog.Default].
	Logger *slog.Logger
}

// WrittenFacts says what became of the facts of one [MemoryGate.Write].
type WrittenFacts struct {
	// Stored are those that the store took, in order.
	Stored []CheckedFact
	// Rejected are those that the gate rejected.
	Rejected []CheckedFact
	// Skipped are those that nobody could verify, with
	// [MemoryGate.SkipUnverified].
	Skipped []CheckedFact
}

// Err returns a [*FactNotGroundedError] with all rejected facts, or nil if there
// is none.
func (w *WrittenFacts) Err() error { return rejection(w.Rejected) }

// Check decides on facts as [Client.CheckFacts] does. A call that fails has
// decisions, too.
func (g *MemoryGate) Check(ctx context.Context, facts []Fact, evidence Evidence, opts ...CallOption) *CheckedFacts {
	timeout := g.Timeout
	if timeout <= 0 {
		timeout = DefaultGateTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	checked, err := g.Client.CheckFacts(ctx, facts, evidence, opts...)
	if err != nil {
		return g.withoutAnswer(ctx, facts, err)
	}
	return checked
}

// Write checks facts, and calls the store for each that passes, in order.
// [CheckedFact.Confidence] is what to store it with, and [CheckedFact.IsVerified]
// whether it is to be marked. An error is that of the store, or that of the
// context, after which no further fact was stored; the result says which were.
func (g *MemoryGate) Write(ctx context.Context, facts []Fact, evidence Evidence,
	store func(context.Context, CheckedFact) error, opts ...CallOption) (*WrittenFacts, error) {
	checked := g.Check(ctx, facts, evidence, opts...)
	written := &WrittenFacts{Rejected: checked.Rejected()}
	for _, fact := range checked.Accepted() {
		if g.SkipUnverified && fact.Decision == GateAcceptedUnverified {
			written.Skipped = append(written.Skipped, fact)
			continue
		}
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if err := store(ctx, fact); err != nil {
			return written, err
		}
		written.Stored = append(written.Stored, fact)
	}
	return written, nil
}

// withoutAnswer decides on facts where a call failed.
func (g *MemoryGate) withoutAnswer(ctx context.Context, facts []Fact, err error) *CheckedFacts {
	logger := g.Logger
	if logger == nil {
		logger = slog.Default()
	}
	kind := kindOf(err)
	decision, reason, text, factor := GateAcceptedUnverified, GateReasonNoAnswer, "no decision came: ", DefaultUnverifiedFactor
	level := slog.LevelWarn
	if g.UnverifiedFactor != nil {
		factor = min(max(*g.UnverifiedFactor, 0), 1)
	}
	// What is too large is wrong, too, and can be made so by whoever wrote the
	// evidence.
	if errors.Is(err, ErrInvalidRequest) || errors.Is(err, ErrResourceExhausted) {
		decision, reason, text, factor = GateRejected, GateReasonInvalidRequest, "the request is refused: ", 0
		level = slog.LevelError
	}
	logger.Log(ctx, level, "facts could not be checked", "facts", len(facts), "decision", string(decision), "error", kind)
	checked := &CheckedFacts{}
	for _, fact := range facts {
		stated := plainConfidence
		if fact.Confidence != nil {
			stated = *fact.Confidence
		}
		// Nobody has checked it; written so that NaN is none.
		if !(stated >= 0 && stated <= 1) {
			stated = 0
		}
		checked.Facts = append(checked.Facts, CheckedFact{
			ID: fact.ID, Text: fact.Text, Decision: decision, Reason: reason, ReasonText: text + kind,
			Confidence: stated * factor, StatedConfidence: stated,
			Claim: VerifiedClaim{Content: fact.Text, Verdict: VerdictNotVerified, Confidence: stated},
		})
	}
	return checked
}

// kindOf returns what kind of failure an error is, without its text.
func kindOf(err error) string {
	var e *Error
	switch {
	case !errors.As(err, &e):
		return "unknown"
	case e.Reason != "":
		return e.Reason
	}
	return e.Code.String()
}
