package groundwire_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedGate is the part of the scripted server that decides on facts.
type scriptedGate struct {
	pb.UnimplementedMemoryGateServer
	check func(context.Context, *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error)
}

func (s *scriptedGate) CheckFacts(ctx context.Context, r *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
	return s.check(ctx, r)
}

// deciding is a server that gives these decisions to every call.
func deciding(decisions ...*pb.CheckedFact) *scripted {
	return &scripted{gate: scriptedGate{check: func(context.Context, *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
		return &pb.CheckFactsResponse{Facts: decisions, Run: done()}, nil
	}}}
}

// refusing is a server whose gate fails with this code and this reason.
func refusing(t *testing.T, code codes.Code, reason string) *scripted {
	t.Helper()
	s := status.New(code, "the server's text")
	if reason != "" {
		var err error
		if s, err = s.WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: "groundwire"}); err != nil {
			t.Fatal(err)
		}
	}
	return &scripted{gate: scriptedGate{check: func(context.Context, *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
		return nil, s.Err()
	}}}
}

// accepted, rejected and unverified are plain decisions.
func accepted() *pb.CheckedFact {
	return &pb.CheckedFact{
		Decision: pb.GateDecision_GATE_DECISION_ACCEPTED, Reason: pb.GateReason_GATE_REASON_GROUNDED,
		ReasonText: "the evidence carries it", Confidence: 0.95, Verdict: supported(),
	}
}

func rejected() *pb.CheckedFact {
	return &pb.CheckedFact{
		Decision: pb.GateDecision_GATE_DECISION_REJECTED, Reason: pb.GateReason_GATE_REASON_CONTRADICTED,
		ReasonText: "the evidence says otherwise", Verdict: contradicted(),
	}
}

func unverified() *pb.CheckedFact {
	return &pb.CheckedFact{
		Decision: pb.GateDecision_GATE_DECISION_ACCEPTED_UNVERIFIED, Reason: pb.GateReason_GATE_REASON_OUT_OF_TIME,
		Confidence: 0.25, Verdict: &pb.ClaimVerdict{
			Verdict: pb.Verdict_VERDICT_NOT_VERIFIED, Reason: pb.VerdictReason_VERDICT_REASON_OUT_OF_TIME,
			CitationStatus: pb.CitationStatus_CITATION_STATUS_NONE, Confidence: 0.5,
		},
	}
}

var sources = groundwire.ContextEvidence("The Rhine rises in the Swiss Alps.")

// texts are the texts of facts.
func texts(facts []groundwire.CheckedFact) []string {
	var found []string
	for _, fact := range facts {
		found = append(found, fact.Text)
	}
	return found
}

// store keeps what it is called for.
type store struct{ facts []groundwire.CheckedFact }

func (s *store) save(_ context.Context, fact groundwire.CheckedFact) error {
	s.facts = append(s.facts, fact)
	return nil
}

func TestFactsAreSentWithTheirEvidenceOnce(t *testing.T) {
	var sent *pb.CheckFactsRequest
	client := connect(t, &scripted{gate: scriptedGate{check: func(_ context.Context, r *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
		sent = r
		return nil, status.Error(codes.Internal, "enough")
	}}})
	own := groundwire.DocumentEvidence(groundwire.Document{ID: "S0", Text: "text"})
	same := groundwire.DocumentEvidence(groundwire.Document{ID: "S0", Text: "text"})
	facts := []groundwire.Fact{
		{Text: "a", ID: "1", Confidence: new(0.5), CitedIDs: []string{"S0"}, Evidence: &own},
		{Text: "b"}, {Text: "c", Evidence: &same}, {Text: "d", Evidence: &own}, {Text: "e"},
	}
	_, err := client.CheckFacts(t.Context(), facts, sources,
		groundwire.WithBackend("other"), groundwire.WithoutResultCache(), groundwire.WithChunks())
	if err == nil {
		t.Fatal("no error")
	}
	want := &pb.CheckFactsRequest{
		Facts: []*pb.Fact{
			{Text: "a", Id: "1", Confidence: new(0.5), CitedIds: []string{"S0"}},
			{Text: "b", EvidenceIndex: 1}, {Text: "c"}, {Text: "d"}, {Text: "e", EvidenceIndex: 1},
		},
		Evidence: []*pb.Evidence{
			{Sources: []*pb.Source{{Id: "S0", Kind: &pb.Source_Document{Document: &pb.Document{Text: "text"}}}}},
			{Context: "The Rhine rises in the Swiss Alps."},
		},
		Backend: "other", SkipResultCache: true, SplitLongContext: true,
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v\nwant %v", sent, want)
	}
}

func TestACheckedFactHasItsDecisionAndItsNumbers(t *testing.T) {
	client := connect(t, deciding(edit(accepted(), func(f *pb.CheckedFact) { f.Id = "1" }), rejected(), unverified()))
	facts := []groundwire.Fact{{Text: "a", ID: "1"}, {Text: "b"}, {Text: "c"}}
	checked, err := client.CheckFacts(t.Context(), facts, sources)
	if err != nil {
		t.Fatal(err)
	}
	good, bad, unread := checked.Facts[0], checked.Facts[1], checked.Facts[2]
	if good.ID != "1" || good.Text != "a" || !good.IsVerified() || good.Reason != groundwire.GateReasonGrounded ||
		good.Confidence != 0.95 || good.StatedConfidence != 0.95 || good.P1() != 0.97 || good.P0() != 0.1 || good.GapBits() != -0.15 {
		t.Errorf("got %+v", good)
	}
	if bad.IsAccepted() || bad.Claim.Verdict != groundwire.VerdictContradicted {
		t.Errorf("got %+v", bad)
	}
	if !unread.IsAccepted() || unread.IsVerified() || !math.IsNaN(unread.GapBits()) {
		t.Errorf("got %+v", unread)
	}
	if !slices.Equal(texts(checked.Accepted()), []string{"a", "c"}) || !slices.Equal(texts(checked.Rejected()), []string{"b"}) {
		t.Errorf("got %v and %v", checked.Accepted(), checked.Rejected())
	}
	if checked.Run.Backend == "" {
		t.Error("there is no run")
	}
}

func TestRejectedFactsAreAnErrorWhereThatIsAskedFor(t *testing.T) {
	checked, err := connect(t, deciding(rejected(), accepted(), rejected())).CheckFacts(
		t.Context(), []groundwire.Fact{{Text: "a"}, {Text: "b"}, {Text: "c"}}, sources)
	if err != nil {
		t.Fatal(err)
	}
	err = checked.Err()
	mustBeOnly(t, err, groundwire.ErrFactNotGrounded)
	var rejection *groundwire.FactNotGroundedError
	if !errors.As(err, &rejection) || !slices.Equal(texts(rejection.Facts), []string{"a", "c"}) {
		t.Errorf("got %v", err)
	}
	if want := "groundwire: fact not grounded: CONTRADICTED: the evidence says otherwise (and 1 more)"; err.Error() != want {
		t.Errorf("got %v", err)
	}
	if none := (&groundwire.CheckedFacts{}).Err(); none != nil {
		t.Errorf("got %v", none)
	}
}

func TestADecisionThatIsNewerThanTheClientIsNotToStore(t *testing.T) {
	client := connect(t, deciding(edit(accepted(), func(f *pb.CheckedFact) { f.Decision = 99 })))
	checked, err := client.CheckFacts(t.Context(), []groundwire.Fact{{Text: "a"}}, sources)
	if err != nil || checked.Facts[0].IsAccepted() || checked.Facts[0].Decision != "99" {
		t.Errorf("got %+v, %v", checked, err)
	}
}

func TestOnlyWhatPassesIsWrittenInOrder(t *testing.T) {
	facts := []groundwire.Fact{{Text: "a"}, {Text: "b"}, {Text: "c"}}
	for _, skip := range []bool{false, true} {
		var kept store
		gate := groundwire.MemoryGate{
			Client: connect(t, deciding(unverified(), rejected(), accepted())), SkipUnverified: skip,
		}
		written, err := gate.Write(t.Context(), facts, sources, kept.save)
		if err != nil || !slices.Equal(texts(kept.facts), texts(written.Stored)) || !slices.Equal(texts(written.Rejected), []string{"b"}) {
			t.Errorf("got %+v, %v", written, err)
		}
		if want := map[bool][]string{false: {"a", "c"}, true: {"c"}}[skip]; !slices.Equal(texts(kept.facts), want) {
			t.Errorf("stored %v", texts(kept.facts))
		}
		if want := map[bool][]string{false: nil, true: {"a"}}[skip]; !slices.Equal(texts(written.Skipped), want) {
			t.Errorf("skipped %v", texts(written.Skipped))
		}
		if !errors.Is(written.Err(), groundwire.ErrFactNotGrounded) {
			t.Errorf("got %v", written.Err())
		}
	}
}

func TestACallThatFailsHoldsNoWriteUp(t *testing.T) {
	cases := map[string]*scripted{
		"NOT_ENABLED": refusing(t, codes.FailedPrecondition, "NOT_ENABLED"),
		"QUEUE_FULL":  refusing(t, codes.ResourceExhausted, "QUEUE_FULL"),
		"INTERNAL":    refusing(t, codes.Internal, "INTERNAL"),
		"Unknown":     refusing(t, codes.Unknown, ""),
		"Internal":    deciding(),
		"DeadlineExceeded": {gate: scriptedGate{check: func(ctx context.Context, _ *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}},
	}
	facts := []groundwire.Fact{{Text: "zebra", ID: "1", Confidence: new(0.8)}, {Text: "b"}, {Text: "c", Confidence: new(math.NaN())}}
	for kind, server := range cases {
		t.Run(kind, func(t *testing.T) {
			var kept store
			var log bytes.Buffer
			gate := groundwire.MemoryGate{
				Client: connect(t, server), Timeout: 300 * time.Millisecond, UnverifiedFactor: new(0.25),
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
			}
			if _, err := gate.Write(t.Context(), facts, sources, kept.save); err != nil {
				t.Fatal(err)
			}
			for i, want := range []float64{0.2, 0.2375, 0} {
				fact := kept.facts[i]
				if fact.Decision != groundwire.GateAcceptedUnverified || fact.Reason != groundwire.GateReasonNoAnswer ||
					fact.Confidence != want || fact.Claim.Verdict != groundwire.VerdictNotVerified || !math.IsNaN(fact.P1()) {
					t.Errorf("got %+v", fact)
				}
			}
			if !strings.Contains(log.String(), "error="+kind) || strings.Contains(log.String(), "zebra") {
				t.Errorf("logged %s", log.String())
			}
		})
	}
}

func TestARequestThatIsRefusedDoesNotOpenTheGate(t *testing.T) {
	for _, server := range []*scripted{
		refusing(t, codes.InvalidArgument, "CLAIM_TOO_LONG"), refusing(t, codes.ResourceExhausted, ""),
	} {
		var kept store
		gate := groundwire.MemoryGate{Client: connect(t, server), Logger: slog.New(slog.DiscardHandler)}
		written, err := gate.Write(t.Context(), []groundwire.Fact{{Text: "a"}}, sources, kept.save)
		if err != nil || kept.facts != nil || written.Rejected[0].Reason != groundwire.GateReasonInvalidRequest {
			t.Errorf("got %+v, %v", written, err)
		}
	}
}

func TestAnErrorOfTheStoreEndsTheWrite(t *testing.T) {
	full := errors.New("the disk is full")
	gate := groundwire.MemoryGate{Client: connect(t, deciding(accepted(), accepted()))}
	calls := 0
	written, err := gate.Write(t.Context(), []groundwire.Fact{{Text: "a"}, {Text: "b"}}, sources,
		func(context.Context, groundwire.CheckedFact) error {
			if calls++; calls == 2 {
				return full
			}
			return nil
		})
	if !errors.Is(err, full) || !slices.Equal(texts(written.Stored), []string{"a"}) {
		t.Errorf("got %+v, %v", written, err)
	}
}

func TestACallerThatGaveUpStoresNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var kept store
	gate := groundwire.MemoryGate{Client: connect(t, deciding(accepted())), Logger: slog.New(slog.DiscardHandler)}
	_, err := gate.Write(ctx, []groundwire.Fact{{Text: "a"}}, sources, kept.save)
	if !errors.Is(err, context.Canceled) || kept.facts != nil {
		t.Errorf("got %v and %v", err, kept.facts)
	}
}
