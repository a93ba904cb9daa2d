package groundwire

import (
	"context"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// CheckFacts decides which facts may be stored, and returns the decisions in
// their order. The evidence is what those facts are judged by that have none of
// their own; its zero value is none. The server decides shortly before the
// deadline of the call, and after 2 s at the latest unless it is set otherwise.
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
