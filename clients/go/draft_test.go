package groundwire_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// draftRequest asks for a draft of the answer.
var draftRequest = groundwire.DraftRequest{
	AnswerRequest:      groundwire.AnswerRequest{Evidence: request.Evidence},
	StopAtContradicted: true,
	MinShareGrounded:   new(0.0),
}

// drafting is a server that sends these pieces once the text has come to its end,
// or so many requests have come, and keeps what it received.
func drafting(received *[]*pb.VerifyDraftRequest, requests int, pieces ...*pb.VerifyDraftResponse) *scripted {
	return detecting(scriptedDetection{draft: func(stream draftStream) error {
		for len(*received) < requests {
			r, err := stream.Recv()
			if err != nil {
				return err
			}
			*received = append(*received, r)
			if r.GetEnd() != nil {
				break
			}
		}
		for _, piece := range pieces {
			if err := stream.Send(piece); err != nil {
				return err
			}
		}
		return nil
	}})
}

func draftPieces() []*pb.VerifyDraftResponse {
	return []*pb.VerifyDraftResponse{
		{Event: &pb.VerifyDraftResponse_Ready{Ready: &pb.DraftReady{}}},
		{Event: &pb.VerifyDraftResponse_Verdict{Verdict: &pb.DraftVerdict{Index: 1, Claim: report().Claims[1]}}},
		{Event: &pb.VerifyDraftResponse_Settled{Settled: &pb.DraftSettled{Characters: 34}}},
		{Event: &pb.VerifyDraftResponse_Report{Report: report()}},
	}
}

// write writes the answer in pieces, and its end.
func write(t *testing.T, draft *groundwire.Draft, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		if err := draft.Write(piece); err != nil {
			t.Error(err)
		}
	}
	if err := draft.End(); err != nil {
		t.Error(err)
	}
}

// eventsOf returns the events of a draft, and its error.
func eventsOf(draft *groundwire.Draft) (events []groundwire.DraftEvent, last error) {
	for event, err := range draft.Events() {
		if last = err; err == nil {
			events = append(events, event)
		}
	}
	return events, last
}

func begin(t *testing.T, client *groundwire.Client) *groundwire.Draft {
	t.Helper()
	draft, err := client.VerifyDraft(t.Context(), draftRequest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(draft.Close)
	return draft
}

func TestADraftYieldsItsVerdictsAndLastItsReport(t *testing.T) {
	var received []*pb.VerifyDraftRequest
	draft := begin(t, connect(t, drafting(&received, 10, draftPieces()...)))
	write(t, draft, answer[:7], "", answer[7:])
	events, err := eventsOf(draft)
	if err != nil || len(events) != 3 {
		t.Fatalf("got %v, %v", events, err)
	}
	if verdict := events[0].(*groundwire.DraftVerdict); verdict.Index != 1 || verdict.Claim.Content != "It is warm." {
		t.Errorf("got %+v", verdict)
	}
	if settled := events[1].(*groundwire.DraftSettled); settled.Characters != 34 {
		t.Errorf("got %+v", settled)
	}
	if report := events[2].(*groundwire.Report); len(report.Claims) != 3 {
		t.Errorf("got %+v", report)
	}
	start := received[0].GetStart()
	if start.GetRequest().GetEvidence() == nil || !start.GetStopAtContradicted() || start.MinShareGrounded == nil {
		t.Errorf("it began with %v", start)
	}
	var text strings.Builder
	for _, r := range received {
		text.WriteString(r.GetText())
	}
	if text.String() != answer || received[len(received)-1].GetEnd() == nil {
		t.Errorf("the server received %q", text.String())
	}
}

func TestAStopEndsADraftWithTheReportOnWhatWasWritten(t *testing.T) {
	stop := &pb.DraftStop{Reason: pb.DraftStopReason_DRAFT_STOP_REASON_CONTRADICTED, Index: 1, Characters: int32(len(answer))}
	pieces := slices.Insert(draftPieces(), 3, &pb.VerifyDraftResponse{Event: &pb.VerifyDraftResponse_Stop{Stop: stop}})
	var received []*pb.VerifyDraftRequest
	draft := begin(t, connect(t, drafting(&received, 3, pieces...)))
	if err := errors.Join(draft.Write(answer), draft.Write(" And on.")); err != nil {
		t.Fatal(err)
	}
	events, err := eventsOf(draft)
	if err != nil || len(events) != 4 {
		t.Fatalf("got %v, %v", events, err)
	}
	want := groundwire.DraftStop{Reason: groundwire.DraftStopContradicted, Index: 1, Characters: len(answer)}
	if got := events[2].(*groundwire.DraftStop); *got != want {
		t.Errorf("got %+v", got)
	}
	if err := draft.Write("Nobody reads this."); err != nil {
		t.Error(err)
	}
}

func TestADraftAgainstTheContractIsAnInternalError(t *testing.T) {
	p := draftPieces()
	settled := func(characters int32) *pb.VerifyDraftResponse {
		return &pb.VerifyDraftResponse{Event: &pb.VerifyDraftResponse_Settled{Settled: &pb.DraftSettled{Characters: characters}}}
	}
	stop := func(s *pb.DraftStop) *pb.VerifyDraftResponse {
		return &pb.VerifyDraftResponse{Event: &pb.VerifyDraftResponse_Stop{Stop: s}}
	}
	for name, c := range map[string]struct {
		pieces []*pb.VerifyDraftResponse
		words  string
	}{
		"nothing":          {nil, "ended without a report"},
		"no report":        {p[:3], "ended without a report"},
		"no event":         {[]*pb.VerifyDraftResponse{{}}, "an event without a piece"},
		"report and more":  {append(draftPieces(), p[3]), "goes on after the report"},
		"settled beyond":   {[]*pb.VerifyDraftResponse{settled(1000)}, "its end is 1000"},
		"settled below":    {[]*pb.VerifyDraftResponse{settled(-1)}, "its end is -1"},
		"stop for nothing": {[]*pb.VerifyDraftResponse{stop(&pb.DraftStop{})}, "reason is missing"},
		"report beyond": {[]*pb.VerifyDraftResponse{
			stop(&pb.DraftStop{Reason: pb.DraftStopReason_DRAFT_STOP_REASON_SHARE_GROUNDED, Characters: 3}), p[3],
		}, "of 3 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			var received []*pb.VerifyDraftRequest
			draft := begin(t, connect(t, drafting(&received, 10, c.pieces...)))
			write(t, draft, answer)
			_, err := eventsOf(draft)
			mustBreach(t, err, c.words)
		})
	}
}

func TestAPieceThatIsNoUTF8IsRefused(t *testing.T) {
	var received []*pb.VerifyDraftRequest
	draft := begin(t, connect(t, drafting(&received, 10)))
	if err := draft.Write("\xff"); !errors.Is(err, groundwire.ErrInvalidRequest) {
		t.Errorf("got %v", err)
	}
}

func TestADraftCutAnywhereInHebrewAndEmojiCountsCharacters(t *testing.T) {
	text := "המגדל גבוה. 👩\u200d🎨 ציירה אותו. e\u0301 🇮🇱"
	characters := int32(utf8.RuneCountInString(text))
	for cut := range text {
		settled := func(characters int32) *pb.VerifyDraftResponse {
			return &pb.VerifyDraftResponse{Event: &pb.VerifyDraftResponse_Settled{Settled: &pb.DraftSettled{Characters: characters}}}
		}
		var received []*pb.VerifyDraftRequest
		draft := begin(t, connect(t, drafting(&received, 10, settled(characters), settled(characters+1))))
		write(t, draft, text[:cut], text[cut:])
		events, err := eventsOf(draft)
		mustBreach(t, err, fmt.Sprintf("its end is %d", characters+1))
		if len(events) != 1 || events[0].(*groundwire.DraftSettled).Characters != int(characters) {
			t.Errorf("cut at %d: got %v", cut, events)
		}
		if sent := received[1].GetText() + received[2].GetText(); sent != text {
			t.Errorf("cut at %d: the server received %q", cut, sent)
		}
	}
}

func TestHalfACharacterIsRefusedAndTheDraftGoesOn(t *testing.T) {
	for name, text := range map[string]string{"hebrew": "מגדל", "emoji": "🗼"} {
		t.Run(name, func(t *testing.T) {
			var received []*pb.VerifyDraftRequest
			draft := begin(t, connect(t, drafting(&received, 10, draftPieces()[0])))
			for _, half := range []string{text[:1], text[1:]} {
				if err := draft.Write(half); !errors.Is(err, groundwire.ErrInvalidRequest) {
					t.Errorf("%q: got %v", half, err)
				}
			}
			write(t, draft, text)
			if _, err := eventsOf(draft); err == nil {
				t.Error("a draft without a report has no error")
			}
			if got := received[1].GetText(); got != text {
				t.Errorf("the server received %q", got)
			}
		})
	}
}

func TestLeavingTheEventsOfADraftEndsTheCall(t *testing.T) {
	ended := make(chan error, 1)
	client := connect(t, detecting(scriptedDetection{draft: func(stream draftStream) error {
		err := stream.Send(&pb.VerifyDraftResponse{Event: &pb.VerifyDraftResponse_Settled{Settled: &pb.DraftSettled{}}})
		<-stream.Context().Done()
		ended <- stream.Context().Err()
		return err
	}}))
	for _, err := range begin(t, client).Events() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestADraftHasTheDefaultDeadline(t *testing.T) {
	client := connect(t, detecting(scriptedDetection{draft: func(stream draftStream) error {
		<-stream.Context().Done()
		return stream.Context().Err()
	}}), groundwire.WithTimeout(200*time.Millisecond))
	if _, err := eventsOf(begin(t, client)); !errors.Is(err, groundwire.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
