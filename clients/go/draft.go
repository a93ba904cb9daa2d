package groundwire

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"
	"unicode/utf8"

	"google.golang.org/grpc"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// DraftRequest says how an answer is verified while it is being written.
type DraftRequest struct {
	// AnswerRequest is what [Client.VerifyAnswer] would be asked. Its Answer and
	// its Corpus stay empty.
	AnswerRequest
	// StopAtContradicted stops the draft at the first claim that comes out
	// [VerdictContradicted].
	StopAtContradicted bool
	// MinShareGrounded stops the draft when the share of grounded claims falls
	// below it, in [0, 1]; it counts from the third claim on. Nil: it does not.
	MinShareGrounded *float64
}

// DraftEvent is one piece of [Draft.Events]: a [*DraftVerdict], a
// [*DraftSettled], a [*DraftStop] or a [*Report].
type DraftEvent interface{ draftEvent() }

// DraftVerdict is one claim with its verdict by what is written so far. It holds
// until another one comes for its index, or the report, which alone counts.
type DraftVerdict struct {
	// Index is the claim's index among the claims of the text so far.
	Index int
	// Claim is the claim with its verdict.
	Claim AnswerClaim
}

// DraftSettled says how far a draft is verified.
type DraftSettled struct {
	// Characters: all claims that begin before this character have their
	// verdicts. Sentences end there, so that the text before it can be shown.
	// Counted in code points, as runes are.
	Characters int
}

// DraftStopReason says why a draft is not verified any further.
type DraftStopReason string

const (
	// DraftStopContradicted: a claim is contradicted.
	DraftStopContradicted DraftStopReason = "CONTRADICTED"
	// DraftStopShareGrounded: too few of its claims are grounded.
	DraftStopShareGrounded DraftStopReason = "SHARE_GROUNDED"
)

// DraftStop says that a draft is not verified any further. The report follows.
type DraftStop struct {
	// Reason is why.
	Reason DraftStopReason `pb:",set"`
	// Index is the index of the claim whose verdict stopped it.
	Index int
	// Characters is how many characters of the text the report is on.
	Characters int
}

func (*DraftVerdict) draftEvent() {}
func (*DraftSettled) draftEvent() {}
func (*DraftStop) draftEvent()    {}
func (*Report) draftEvent()       {}

// Draft is an answer that is verified while it is being written: one goroutine
// writes it, and another one takes the events.
type Draft struct {
	stream grpc.BidiStreamingClient[pb.VerifyDraftRequest, pb.VerifyDraftResponse]
	cancel context.CancelFunc
	// sent are the characters that were sent.
	sent    atomic.Int64
	stopped *DraftStop
}

// VerifyDraft begins to verify an answer that is still being written. The server
// reads the evidence ahead, and verifies each sentence once it is complete. The
// deadline is that of all of it, the writing included.
//
//	draft, err := client.VerifyDraft(ctx, request)
//	if err != nil {
//		return err
//	}
//	defer draft.Close()
//	go func() {
//		for piece := range model {
//			draft.Write(piece)
//		}
//		draft.End()
//	}()
//	for event, err := range draft.Events() {
//		...
//	}
//
// Errors are of type [*Error]. The draft has to be closed.
func (c *Client) VerifyDraft(ctx context.Context, request DraftRequest) (*Draft, error) {
	message, err := request.AnswerRequest.message("start.request.")
	if err != nil {
		return nil, err
	}
	first := &pb.VerifyDraftRequest{Piece: &pb.VerifyDraftRequest_Start{Start: &pb.DraftStart{
		Request:            message,
		StopAtContradicted: request.StopAtContradicted,
		MinShareGrounded:   request.MinShareGrounded,
	}}}
	ctx, cancelDeadline := c.withDeadline(ctx)
	ctx, cancelCall := context.WithCancel(ctx)
	draft := &Draft{cancel: func() { cancelCall(); cancelDeadline() }}
	draft.stream, err = c.detection.VerifyDraft(withContextHash(ctx, first))
	if err != nil {
		draft.cancel()
		return nil, newError(err)
	}
	// What ends the call here, Events says.
	_ = draft.stream.Send(first)
	return draft, nil
}

// Write sends the next piece of the answer. Once the call has ended, as with a
// [*DraftStop], it does nothing: [Draft.Events] says how it has ended. The server
// ends a call that gets nothing for 120 s; an empty piece counts as something.
func (d *Draft) Write(piece string) error {
	if err := checkText(text{"text", piece}); err != nil {
		return err
	}
	d.sent.Add(int64(utf8.RuneCountInString(piece)))
	return d.send(&pb.VerifyDraftRequest{Piece: &pb.VerifyDraftRequest_Text{Text: piece}})
}

// End says that the answer is whole, which the report waits for.
func (d *Draft) End() error {
	end := &pb.VerifyDraftRequest{Piece: &pb.VerifyDraftRequest_End{End: &pb.DraftEnd{}}}
	if err := d.send(end); err != nil {
		return err
	}
	if err := d.stream.CloseSend(); err != nil {
		return newError(err)
	}
	return nil
}

func (d *Draft) send(request *pb.VerifyDraftRequest) error {
	if err := d.stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
		return newError(err)
	}
	return nil
}

// Close ends the call, if it has not ended.
func (d *Draft) Close() { d.cancel() }

// Events yields what is known of the draft, as it gets known, and last the
// [*Report] on the whole text. An error comes with a nil event, ends the loop,
// and takes the place of the report. Leaving the loop ends the call.
func (d *Draft) Events() iter.Seq2[DraftEvent, error] {
	return func(yield func(DraftEvent, error) bool) {
		defer d.Close()
		for {
			event, err := d.next()
			if err != nil {
				yield(nil, err)
				return
			}
			if event == nil {
				continue
			}
			if _, last := event.(*Report); !yield(event, nil) || last {
				return
			}
		}
	}
}

// next returns the next event; nil for a response without one. The report is
// returned once the call has ended: until then an error could follow.
func (d *Draft) next() (DraftEvent, error) {
	m, err := d.stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil, badResponse("the stream ended without a report")
	}
	if err != nil {
		return nil, newError(err)
	}
	event, err := d.read(m)
	if err != nil {
		return nil, err
	}
	if _, ok := event.(*Report); !ok {
		return event, nil
	}
	if _, err = d.stream.Recv(); err == nil {
		return nil, badResponse("the stream goes on after the report")
	}
	if !errors.Is(err, io.EOF) {
		return nil, newError(err)
	}
	return event, nil
}

func (d *Draft) read(m *pb.VerifyDraftResponse) (DraftEvent, error) {
	sent := int(d.sent.Load())
	r := reading{characters: sent}
	var event DraftEvent
	switch piece := m.GetEvent().(type) {
	case *pb.VerifyDraftResponse_Ready:
		return nil, nil
	case *pb.VerifyDraftResponse_Verdict:
		r.at = "a verdict"
		claim := piece.Verdict.GetClaim()
		event = &DraftVerdict{
			Index: r.within(piece.Verdict.GetIndex(), sent, "its index"),
			Claim: r.inAnswer(r.claim(claim.GetClaim()), claim.GetVerdict()),
		}
	case *pb.VerifyDraftResponse_Settled:
		r.at = "what is settled"
		event = &DraftSettled{r.within(piece.Settled.GetCharacters(), sent, "its end")}
	case *pb.VerifyDraftResponse_Stop:
		if d.stopped != nil {
			return nil, badResponse("the draft stops twice")
		}
		r.at = "the stop"
		d.stopped = &DraftStop{}
		r.fill(d.stopped, piece.Stop)
		r.within(piece.Stop.GetIndex(), sent, "its index")
		r.within(piece.Stop.GetCharacters(), sent, "its end")
		event = d.stopped
	case *pb.VerifyDraftResponse_Report:
		if d.stopped != nil {
			sent = d.stopped.Characters
		}
		return newReport(piece.Report, sent)
	default:
		return nil, badResponse("an event without a piece")
	}
	if r.err != nil {
		return nil, r.err
	}
	return event, nil
}
