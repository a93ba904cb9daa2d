package groundwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// VerifyAnswerStream does what [Client.VerifyAnswer] does and yields each claim
// as its verdict is known: first one [*ClaimsFound], then a [*ClaimKnown] for
// each claim, in any order, last the [*Report].
//
// Each loop over it makes a call of its own, and leaving the loop cancels that
// call. Errors are of type [*Error]; one comes with a nil event, ends the loop,
// and takes the place of the report. The report has been held against the
// events before it, so that no verdict in it differs from what was yielded.
//
//	for event, err := range client.VerifyAnswerStream(ctx, request) {
//		if err != nil {
//			return err
//		}
//		switch event := event.(type) {
//		case *groundwire.ClaimKnown:
//			...
//		case *groundwire.Report:
//			...
//		}
//	}
func (c *Client) VerifyAnswerStream(ctx context.Context, request AnswerRequest) iter.Seq2[Event, error] {
	return streamed(ctx, c, func(ctx context.Context) (func() (Event, error), error) {
		message, err := request.message("request.")
		if err != nil {
			return nil, err
		}
		sent := &pb.VerifyAnswerStreamRequest{Request: message}
		stream, err := c.detection.VerifyAnswerStream(withContextHash(ctx, sent), sent)
		if err != nil {
			return nil, newError(err)
		}
		events := eventReader{characters: utf8.RuneCountInString(request.Answer)}
		return func() (Event, error) { return events.next(stream) }, nil
	})
}

// streamed yields the events of one call for each loop over it, and cancels the
// call when the loop is left. start makes the call; what it returns gives the
// next event, and io.EOF after the last one.
func streamed[E any](ctx context.Context, c *Client, start func(context.Context) (func() (E, error), error)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		ctx, cancelDeadline := c.withDeadline(ctx)
		defer cancelDeadline()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var event E
		next, err := start(ctx)
		for err == nil {
			if event, err = next(); err == nil && !yield(event, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			var none E
			yield(none, err)
		}
	}
}

// eventReader reads the events of a stream and holds them against each other.
type eventReader struct {
	// characters are those of the answer.
	characters int
	// claims are those of the first event, and known those that have a verdict
	// so far, by the same index.
	claims []Claim
	known  []*AnswerClaim
	found  bool
	// waiting are events that were read and not yet returned.
	waiting []Event
	// ended: the report was read, and the call has ended without an error.
	ended bool
}

// pieces is the stream of the call.
type pieces interface {
	Recv() (*pb.VerifyAnswerStreamResponse, error)
}

// next returns the next event, and io.EOF after the report. That is returned once
// the call has ended: until then an error could follow, which leaves the answer
// without a report.
func (e *eventReader) next(stream pieces) (Event, error) {
	if e.ended {
		return nil, io.EOF
	}
	if len(e.waiting) > 0 {
		event := e.waiting[0]
		e.waiting = e.waiting[1:]
		return event, nil
	}
	m, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil, badResponse("the stream ended without a report")
	}
	if err != nil {
		return nil, newError(err)
	}
	event, err := e.read(m)
	if err != nil {
		return nil, err
	}
	if _, ok := event.(*Report); !ok {
		return event, nil
	}
	if _, err = stream.Recv(); err == nil {
		return nil, badResponse("the stream goes on after the report")
	}
	if !errors.Is(err, io.EOF) {
		return nil, newError(err)
	}
	e.ended = true
	return event, nil
}

// read reads one event.
func (e *eventReader) read(m *pb.VerifyAnswerStreamResponse) (Event, error) {
	switch piece := m.GetEvent().(type) {
	case *pb.VerifyAnswerStreamResponse_Found:
		return e.readFound(piece.Found)
	case *pb.VerifyAnswerStreamResponse_Known:
		return e.readKnown(piece.Known)
	case *pb.VerifyAnswerStreamResponse_Report:
		return e.readReport(piece.Report)
	}
	return nil, badResponse("an event without a piece")
}

// readFound reads the first event. Claims that are skipped are known at once.
func (e *eventReader) readFound(m *pb.ClaimsFound) (Event, error) {
	if e.found {
		return nil, badResponse("the claims are found twice")
	}
	e.found = true
	r := reading{characters: e.characters}
	for i, found := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		claim := r.claim(found.GetClaim())
		e.claims = append(e.claims, claim)
		e.known = append(e.known, nil)
		if found.GetVerdict() == nil {
			continue
		}
		skipped := r.inAnswer(claim, found.GetVerdict())
		if skipped.Verdict != VerdictNotVerified {
			r.breach("it is %s before it is read", skipped.Verdict)
		}
		e.known[i] = &skipped
		e.waiting = append(e.waiting, &ClaimKnown{Index: i, Claim: skipped})
	}
	if r.err != nil {
		return nil, r.err
	}
	// A copy: what a caller does with it must not change what is checked later.
	return &ClaimsFound{Claims: slices.Clone(e.claims)}, nil
}

// readKnown reads the verdict of a claim that has none yet.
func (e *eventReader) readKnown(m *pb.ClaimKnown) (Event, error) {
	index := int(m.GetIndex())
	if index < 0 || index >= len(e.claims) {
		return nil, badResponse("a verdict of claim %d, but %d claims were found", index, len(e.claims))
	}
	if e.known[index] != nil {
		return nil, badResponse("a second verdict of claim %d", index)
	}
	r := reading{at: fmt.Sprintf("claim %d", index), characters: e.characters}
	claim := r.inAnswer(e.claims[index], m.GetVerdict())
	if r.err != nil {
		return nil, r.err
	}
	e.known[index] = &claim
	return &ClaimKnown{Index: index, Claim: claim}, nil
}

// readReport reads the report, which has to repeat what the events have said.
func (e *eventReader) readReport(m *pb.VerifyAnswerResponse) (Event, error) {
	if !e.found {
		return nil, badResponse("a report before the claims")
	}
	report, err := newReport(m, e.characters)
	if err != nil {
		return nil, err
	}
	if len(report.Claims) != len(e.claims) {
		return nil, badResponse("a report on %d claims, but %d were found", len(report.Claims), len(e.claims))
	}
	for i, claim := range report.Claims {
		before := e.known[i]
		if before == nil {
			return nil, badResponse("a report without the verdict of claim %d before it", i)
		}
		if claim.Content != before.Content || claim.Verdict != before.Verdict {
			return nil, badResponse("claim %d of the report is not what was sent before it", i)
		}
	}
	return report, nil
}
