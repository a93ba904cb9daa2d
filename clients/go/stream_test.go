package groundwire_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// collect returns the events and the error, which has to be the last.
func collect(t *testing.T, stream iter.Seq2[groundwire.Event, error]) (events []groundwire.Event, last error) {
	t.Helper()
	for event, err := range stream {
		if last != nil || (event == nil) != (err != nil) {
			t.Fatalf("got %v with %v after %v", event, err, last)
		}
		if last = err; err == nil {
			events = append(events, event)
		}
	}
	return events, last
}

func TestTheStreamYieldsEachEventInItsOrder(t *testing.T) {
	events, err := collect(t, connect(t, streaming(codes.OK, pieces()...)).VerifyAnswerStream(t.Context(), request))
	if err != nil || len(events) != 5 {
		t.Fatalf("got %v, %v", events, err)
	}
	if found := events[0].(*groundwire.ClaimsFound); len(found.Claims) != 3 || found.Claims[2].Content != "Is it?" {
		t.Errorf("found %+v", found.Claims)
	}
	report := events[4].(*groundwire.Report)
	if report.Summary.GroundedClaims != 1 || len(report.Claims) != 3 {
		t.Errorf("got %+v", report)
	}
	// The claim that is skipped is known at once.
	for i, index := range []int{2, 1, 0} {
		known := events[i+1].(*groundwire.ClaimKnown)
		want := report.Claims[index]
		if known.Index != index || known.Claim.Content != want.Content || known.Claim.Reason != want.Reason {
			t.Errorf("got %+v, want %+v", known, want)
		}
	}
}

func TestEachLoopIsACallOfItsOwn(t *testing.T) {
	stream := connect(t, streaming(codes.OK, pieces()...)).VerifyAnswerStream(t.Context(), request)
	for range 2 {
		if events, err := collect(t, stream); err != nil || len(events) != 5 {
			t.Errorf("got %v, %v", events, err)
		}
	}
}

func TestAStreamAgainstTheContractIsAnInternalError(t *testing.T) {
	p := pieces()
	found, citation, rhine, end := p[0], p[1], p[2], p[3]
	other := report()
	other.Claims[0].Claim.Content = "Another claim."
	changed := edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Claims[0].Verdict = contradicted()
		r.Summary.GroundedClaims, r.Summary.GroundingRatio = 0, 0
	})
	fewer := edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Claims = r.Claims[:2]
		r.Summary.SkippedClaims, r.Summary.Unverified = 0, r.Summary.Unverified[:1]
	})
	early := edit(report(), func(*pb.VerifyAnswerResponse) {}).Claims
	stream := func(given ...*pb.VerifyAnswerStreamResponse) []*pb.VerifyAnswerStreamResponse { return given }
	cases := map[string]struct {
		pieces []*pb.VerifyAnswerStreamResponse
		events int
		words  string
	}{
		"nothing":                 {nil, 0, "ended without a report"},
		"no report":               {stream(found, citation, rhine), 4, "ended without a report"},
		"no claims":               {stream(end), 0, "a report before the claims"},
		"a verdict first":         {stream(rhine), 0, "a verdict of claim 0"},
		"claims twice":            {stream(found, found), 2, "found twice"},
		"index beyond":            {stream(found, known(3, supported())), 2, "a verdict of claim 3"},
		"index below":             {stream(found, known(-1, supported())), 2, "a verdict of claim -1"},
		"verdict twice":           {stream(found, rhine, rhine), 3, "a second verdict of claim 0"},
		"verdict of a skipped":    {stream(found, known(2, supported())), 2, "a second verdict of claim 2"},
		"verdict missing":         {stream(found, known(0, nil)), 2, "there is no verdict"},
		"verdict not sent":        {stream(found, rhine, end), 3, "without the verdict of claim 1"},
		"piece missing":           {stream(found, &pb.VerifyAnswerStreamResponse{}), 2, "without a piece"},
		"report and more":         {stream(found, citation, rhine, end, end), 4, "goes on after the report"},
		"report of another":       {stream(found, citation, rhine, last(other)), 4, "not what was sent before"},
		"report changes verdicts": {stream(found, citation, rhine, last(changed)), 4, "not what was sent before"},
		"report of fewer":         {stream(found, citation, rhine, last(fewer)), 4, "a report on 2 claims"},
		"verdicts too early": {stream(&pb.VerifyAnswerStreamResponse{
			Event: &pb.VerifyAnswerStreamResponse_Found{Found: &pb.ClaimsFound{Claims: early}},
		}), 0, "it is SUPPORTED before it is read"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			events, err := collect(t, connect(t, streaming(codes.OK, c.pieces...)).VerifyAnswerStream(t.Context(), request))
			mustBreach(t, err, c.words)
			if len(events) != c.events {
				t.Errorf("got %v", events)
			}
		})
	}
}

func TestAnErrorEndsTheStreamWithoutAReport(t *testing.T) {
	for name, c := range map[string]struct{ sent, events int }{
		"at once": {0, 0}, "after some events": {2, 3}, "after the report": {4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			server := streaming(codes.DeadlineExceeded, pieces()[:c.sent]...)
			events, err := collect(t, connect(t, server).VerifyAnswerStream(t.Context(), request))
			if !errors.Is(err, groundwire.ErrDeadlineExceeded) || len(events) != c.events {
				t.Errorf("got %v, %v", events, err)
			}
		})
	}
}

func TestLeavingTheLoopCancelsTheCall(t *testing.T) {
	ended := make(chan error, 1)
	client := connect(t, detecting(scriptedDetection{
		stream: func(_ *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
			err := stream.Send(pieces()[0])
			<-stream.Context().Done()
			ended <- stream.Context().Err()
			return err
		},
	}))
	// With a deadline of its own, so that it is not the client's that cancels.
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, err := range client.VerifyAnswerStream(ctx, request) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCancellingTheContextEndsTheLoop(t *testing.T) {
	client := connect(t, detecting(scriptedDetection{
		stream: func(_ *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
			err := stream.Send(pieces()[0])
			<-stream.Context().Done()
			return err
		},
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for event, err := range client.VerifyAnswerStream(ctx, request) {
		if event != nil {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, groundwire.ErrCanceled) || !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

func TestAStreamGetsTheDefaultDeadlineAndTheToken(t *testing.T) {
	var sent []string
	var deadline time.Time
	record := func(ctx context.Context, description *grpc.StreamDesc, connection *grpc.ClientConn, method string,
		open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
		deadline, _ = ctx.Deadline()
		return open(ctx, description, connection, method, options...)
	}
	client := connect(t, detecting(scriptedDetection{
		stream: func(_ *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
			sent = metadata.ValueFromIncomingContext(stream.Context(), "authorization")
			return status.Error(codes.Internal, "bug")
		},
	}), groundwire.WithTimeout(time.Minute), groundwire.WithToken("s3cret"),
		groundwire.WithDialOptions(grpc.WithStreamInterceptor(record)))
	before := time.Now()
	_, err := collect(t, client.VerifyAnswerStream(context.Background(), request))
	if !errors.Is(err, groundwire.ErrInternal) || !slices.Equal(sent, []string{"Bearer s3cret"}) {
		t.Errorf("got %v after %q was sent", err, sent)
	}
	if deadline.Before(before.Add(time.Minute)) || deadline.After(time.Now().Add(time.Minute)) {
		t.Errorf("the deadline is %v after the call began", deadline.Sub(before))
	}
}

func TestUnavailableIsTriedAgainByTheCallsThatVerify(t *testing.T) {
	t.Parallel()
	var calls, streams atomic.Int64
	script := streaming(codes.OK, pieces()...)
	send := script.detection.stream
	script.detection.stream = func(r *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
		if streams.Add(1) == 1 {
			return status.Error(codes.Unavailable, "not now")
		}
		return send(r, stream)
	}
	script.detection.answer = func(context.Context, *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
		if calls.Add(1) == 1 {
			return nil, status.Error(codes.Unavailable, "not now")
		}
		return report(), nil
	}
	client := connect(t, script)
	if _, err := client.VerifyAnswer(t.Context(), request); err != nil || calls.Load() != 2 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
	if _, err := collect(t, client.VerifyAnswerStream(t.Context(), request)); err != nil || streams.Load() != 2 {
		t.Errorf("got %v after %d calls", err, streams.Load())
	}
}
