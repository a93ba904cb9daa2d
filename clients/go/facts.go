package groundwire

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// ErrFactNotGrounded: the memory gate rejects facts. [*FactNotGroundedError]
// says which, and why each. It is never the kind of an [*Error].
var ErrFactNotGrounded = errors.New("groundwire: fact not grounded")

// Fact is a statement that someone wants to store.
type Fact struct {
	// Text is the statement: at least one visible character, at most
	// [Limits.MaxClaimTokens] tokens. It is judged as one claim.
	Text string
	// ID is the caller's own id, at most 256 characters, which comes back with
	// the decision. Empty: none.
	ID string
	// Confidence is how sure it is stated, in [0, 1]. Nil: the server's default
	// for claims that state none.
	Confidence *float64
	// CitedIDs are the ids of the sources that it cites. Empty: it cites none,
	// and the prior is read with every source removed.
	CitedIDs []string
	// Evidence is what it is judged by, if that is its own. Nil: that of the
	// call. Facts with equal evidence are read together.
	Evidence *Evidence `pb:"-"`
}

// GateDecision says what to do with a fact. A newer server may send others than
// those named here; such a fact is not to be stored.
type GateDecision string

const (
	// GateAccepted: store it with its confidence; the evidence carries it.
	GateAccepted GateDecision = "ACCEPTED"
	// GateRejected: do not store it.
	GateRejected GateDecision = "REJECTED"
	// GateAcceptedUnverified: store it with its confidence, which is reduced,
	// and mark it unverified; nobody knows whether the evidence carries it.
	GateAcceptedUnverified GateDecision = "ACCEPTED_UNVERIFIED"
	// GateAcceptedUnsupported: store it with its confidence, and mark it
	// unsupported; the evidence does not carry it, and the server's operator
	// lets such facts through.
	GateAcceptedUnsupported GateDecision = "ACCEPTED_UNSUPPORTED"
)

// GateReason says how a decision came about. A newer server may send others
// than those named here.
type GateReason string

const (
	// GateReasonGrounded, accepted: the verdict is [VerdictSupported].
	GateReasonGrounded GateReason = "GROUNDED"
	// GateReasonFactNotGrounded, rejected or unsupported: the evidence does not
	// carry the fact.
	GateReasonFactNotGrounded GateReason = "FACT_NOT_GROUNDED"
	// GateReasonContradicted, rejected: the evidence says the opposite.
	GateReasonContradicted GateReason = "CONTRADICTED"
	// GateReasonBelowMinConfidence, rejected or unsupported: the evidence
	// carries the fact with less confidence than the server's settings ask for.
	GateReasonBelowMinConfidence GateReason = "BELOW_MIN_CONFIDENCE"
	// GateReasonOutOfTime, unverified: not read before the decision was due.
	GateReasonOutOfTime GateReason = "OUT_OF_TIME"
	// GateReasonOverloaded, unverified: the server had too much to do.
	GateReasonOverloaded GateReason = "OVERLOADED"
	// GateReasonBackendUnavailable, unverified: the server's backend is
	// loading, died or hangs.
	GateReasonBackendUnavailable GateReason = "BACKEND_UNAVAILABLE"
	// GateReasonNoAnswer, unverified, by [MemoryGate] and not by the server: the
	// call failed.
	GateReasonNoAnswer GateReason = "NO_ANSWER"
	// GateReasonInvalidRequest, rejected, by [MemoryGate] and not by the server:
	// the request was refused.
	GateReasonInvalidRequest GateReason = "INVALID_REQUEST"
)

// CheckedFact is a fact with the decision on it and the numbers behind that.
type CheckedFact struct {
	// ID is the id of the [Fact].
	ID string
	// Text is the statement.
	Text string `pb:"-"`
	// Decision is what to do with it. Never empty.
	Decision GateDecision `pb:",set"`
	// Reason says how that came about. Never empty.
	Reason GateReason `pb:",set"`
	// ReasonText is the same in English words, with the numbers.
	ReasonText string
	// Confidence is what to store it with, in [0, 1]; never above
	// StatedConfidence. Of a rejected fact it is what the numbers give.
	Confidence float64 `pb:",share"`
	// StatedConfidence is how sure it is stated, in [0, 1], or else the default
	// for facts that state nothing.
	StatedConfidence float64 `pb:"-"`
	// Claim is the fact as a verified claim, with every number. If the call
	// failed it is [VerdictNotVerified] and has no other field but its content.
	Claim VerifiedClaim `pb:"-"`
}

// IsAccepted reports whether the fact is to be stored, with whatever mark.
func (f CheckedFact) IsAccepted() bool {
	switch f.Decision {
	case GateAccepted, GateAcceptedUnverified, GateAcceptedUnsupported:
		return true
	}
	return false
}

// IsVerified reports whether the fact is to be stored without a mark: its
// evidence carries it.
func (f CheckedFact) IsVerified() bool { return f.Decision == GateAccepted }

// P1 returns the probability with the evidence, in [0, 1]. NaN: there is none.
func (f CheckedFact) P1() float64 { return f.Claim.P1() }

// P0 returns the probability without the cited evidence, in [0, 1]. NaN: there
// is none.
func (f CheckedFact) P0() float64 { return f.Claim.P0() }

// GapBits returns the bits that the evidence falls short by, below 0 where it
// gives more than is asked for. NaN: it was not read.
func (f CheckedFact) GapBits() float64 { return f.Claim.GapBits() }

// CheckedFacts is the answer to [Client.CheckFacts].
type CheckedFacts struct {
	// Facts are the facts in the order of the request.
	Facts []CheckedFact `pb:"-"`
	// Run says what was done. Zero if the call failed.
	Run Run `pb:",set"`
}

// Accepted returns the facts to store, the marked ones included.
func (c *CheckedFacts) Accepted() []CheckedFact {
	accepted, _ := c.split()
	return accepted
}

// Rejected returns the facts not to store.
func (c *CheckedFacts) Rejected() []CheckedFact {
	_, rejected := c.split()
	return rejected
}

// Err returns a [*FactNotGroundedError] with all rejected facts, or nil if there
// is none.
func (c *CheckedFacts) Err() error { return rejection(c.Rejected()) }

func (c *CheckedFacts) split() (accepted, rejected []CheckedFact) {
	for _, fact := range c.Facts {
		if fact.IsAccepted() {
			accepted = append(accepted, fact)
		} else {
			rejected = append(rejected, fact)
		}
	}
	return accepted, rejected
}

// rejection is the error of rejected facts, nil if there is none.
func rejection(rejected []CheckedFact) error {
	if len(rejected) == 0 {
		return nil
	}
	return &FactNotGroundedError{Facts: rejected}
}

// FactNotGroundedError says which facts the memory gate rejects, for whatever
// reason. errors.Is with [ErrFactNotGrounded] holds for it.
type FactNotGroundedError struct {
	// Facts are the rejected facts, each with its reason and its numbers. Never
	// empty.
	Facts []CheckedFact
}

// Error returns the first reason and the number of facts; none of their texts.
func (e *FactNotGroundedError) Error() string {
	if len(e.Facts) == 0 {
		return ErrFactNotGrounded.Error()
	}
	text := fmt.Sprintf("%v: %s: %s", ErrFactNotGrounded, e.Facts[0].Reason, e.Facts[0].ReasonText)
	if more := len(e.Facts) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap returns [ErrFactNotGrounded].
func (e *FactNotGroundedError) Unwrap() error { return ErrFactNotGrounded }

// CheckFacts decides which facts may be stored, and returns the decisions in
// their order. The evidence is what those facts are judged by that have none of
// their own; its zero value is none. The server decides shortly before the
// deadline of the call, and after 2 s at the latest.
//
// A rejected fact is no error here: look at [CheckedFacts.Err]. Errors are of
// type [*Error], and then nothing was decided; errors.Is(err, [ErrNotEnabled])
// holds where the server's operator has not switched the gate on. [MemoryGate]
// turns errors into decisions.
func (c *Client) CheckFacts(ctx context.Context, facts []Fact, evidence Evidence, opts ...CallOption) (*CheckedFacts, error) {
	request, err := newCheckFactsRequest(facts, evidence, newCallSettings(opts))
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.gate.CheckFacts, request, func(response *pb.CheckFactsResponse) (*CheckedFacts, error) {
		return newCheckedFacts(response, facts)
	})
}

// newCheckFactsRequest encodes a request. Equal evidence is sent once.
func newCheckFactsRequest(facts []Fact, evidence Evidence, call callSettings) (*pb.CheckFactsRequest, error) {
	var w writing
	m := &pb.CheckFactsRequest{
		Backend:          w.text(call.backend, "backend"),
		SkipResultCache:  call.skipResultCache,
		SplitLongContext: call.splitLongContext,
	}
	distinct := newDistinctEvidence(&w, m)
	for i, fact := range facts {
		own := fact.Evidence
		if own == nil {
			own = &evidence
		}
		message := &pb.Fact{EvidenceIndex: distinct.index(own)}
		w.fields(message.ProtoReflect(), reflect.ValueOf(fact), fmt.Sprintf("facts[%d].", i))
		m.Facts = append(m.Facts, message)
	}
	return m, w.done()
}

// distinctEvidence are the pieces of evidence of a request, each once.
type distinctEvidence struct {
	w         *writing
	request   *pb.CheckFactsRequest
	byPointer map[*Evidence]int32
	byContent map[string]int32
}

func newDistinctEvidence(w *writing, request *pb.CheckFactsRequest) *distinctEvidence {
	return &distinctEvidence{w, request, map[*Evidence]int32{}, map[string]int32{}}
}

// index returns where the evidence is in the request, and adds it if it is not
// there yet.
func (p *distinctEvidence) index(evidence *Evidence) int32 {
	if known, ok := p.byPointer[evidence]; ok {
		return known
	}
	next := int32(len(p.request.Evidence))
	piece := evidence.message(p.w, fmt.Sprintf("evidence[%d]", next))
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(piece)
	known, ok := p.byContent[string(content)]
	// What cannot be encoded is refused, so it may stand there twice.
	if err != nil || !ok {
		known = next
		p.request.Evidence = append(p.request.Evidence, piece)
		p.byContent[string(content)] = known
	}
	p.byPointer[evidence] = known
	return known
}

// newCheckedFacts reads the decisions on these facts. Any other number of them
// would attach decisions to the wrong facts.
func newCheckedFacts(m *pb.CheckFactsResponse, facts []Fact) (*CheckedFacts, error) {
	if len(m.GetFacts()) != len(facts) {
		return nil, badResponse("%d decisions for %d facts", len(m.GetFacts()), len(facts))
	}
	r, checked := &reading{at: "the response"}, &CheckedFacts{}
	r.fill(checked, m)
	for i, fact := range m.GetFacts() {
		r.at = fmt.Sprintf("fact %d", i)
		checked.Facts = append(checked.Facts, r.checkedFact(facts[i], fact))
	}
	return done(r, checked)
}

// checkedFact reads the decision on the fact that r.at names.
func (r *reading) checkedFact(sent Fact, m *pb.CheckedFact) CheckedFact {
	if m.GetId() != sent.ID {
		r.breach("it has the id of another fact")
	}
	claim := r.verified(sent.Text, m.GetVerdict())
	fact := CheckedFact{Text: sent.Text, StatedConfidence: claim.Confidence, Claim: claim}
	r.fill(&fact, m)
	r.checkDecision(&fact)
	return fact
}

// checkDecision notes a fact that is to be stored and may not be, or not so.
func (r *reading) checkDecision(f *CheckedFact) {
	verdict := f.Claim.Verdict
	switch {
	case f.Decision == GateAccepted && !f.Claim.Grounded,
		f.Decision == GateAcceptedUnverified && verdict != VerdictNotVerified,
		f.Decision == GateAcceptedUnsupported && verdict == VerdictContradicted:
		r.breach("the decision is %s and the verdict is %s", f.Decision, verdict)
	}
	if f.Confidence > f.StatedConfidence {
		r.breach("the confidence to store is %v and the stated one %v", f.Confidence, f.StatedConfidence)
	}
}
