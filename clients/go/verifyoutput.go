package groundwire

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// SubmitVerification has an output of an agent verified in the background. The
// status says at once whether it is [VerificationQueued] or
// [VerificationSkipped], and its ID is for [Client.GetVerification] and
// [Client.WatchVerification]. A call that fails is not tried again, since it
// could be accepted twice.
//
// Errors are of type [*Error]; errors.Is(err, [ErrNotEnabled]) holds where the
// server's operator has not switched output verification on, and
// errors.Is(err, [ErrUnavailable]) where its store cannot be used now.
func (c *Client) SubmitVerification(ctx context.Context, output Output) (*VerificationStatus, error) {
	request, err := output.message()
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.outputs.SubmitVerification, request, func(response *pb.SubmitVerificationResponse) (*VerificationStatus, error) {
		return newVerificationStatus(response.GetStatus(), "")
	})
}

// GetVerification tells how far a verification is, and its result.
// errors.Is(err, [ErrNotFound]) holds where there is none of the caller's with
// this id, or no longer.
func (c *Client) GetVerification(ctx context.Context, id string) (*VerificationStatus, error) {
	if err := checkText(text{"id", id}); err != nil {
		return nil, err
	}
	request := &pb.GetVerificationRequest{Id: id}
	return call(ctx, c, c.outputs.GetVerification, request, func(response *pb.GetVerificationResponse) (*VerificationStatus, error) {
		return newVerificationStatus(response.GetStatus(), id)
	})
}

// WatchVerification yields what [Client.GetVerification] returns, at once and at
// each change until the final state. Each loop over it makes a call of its own,
// and leaving the loop cancels that call. An error comes with a nil status and
// ends the loop.
func (c *Client) WatchVerification(ctx context.Context, id string) iter.Seq2[*VerificationStatus, error] {
	return streamed(ctx, c, func(ctx context.Context) (func() (*VerificationStatus, error), error) {
		if err := checkText(text{"id", id}); err != nil {
			return nil, err
		}
		stream, err := c.outputs.WatchVerification(ctx, &pb.WatchVerificationRequest{Id: id})
		if err != nil {
			return nil, newError(err)
		}
		ended := false
		return func() (*VerificationStatus, error) {
			response, err := stream.Recv()
			switch {
			case errors.Is(err, io.EOF) && ended:
				return nil, io.EOF
			case errors.Is(err, io.EOF):
				return nil, badResponse("the stream ended before the verification did")
			case err != nil:
				return nil, newError(err)
			}
			status, err := newVerificationStatus(response.GetStatus(), id)
			if err != nil {
				return nil, err
			}
			ended = status.State != VerificationQueued && status.State != VerificationRunning
			return status, nil
		}, nil
	})
}

// AwaitVerification watches until the final state, and returns it. A watch that
// ends before, after the server's own limit on a call or in the middle by a
// restart of the server, is begun again for as long as ctx lasts. With an error
// comes the last status that was seen, or nil.
func (c *Client) AwaitVerification(ctx context.Context, id string) (*VerificationStatus, error) {
	var last *VerificationStatus
	for {
		var broken error
		seen := false
		for status, err := range c.WatchVerification(ctx, id) {
			if err != nil {
				broken = err
				break
			}
			last, seen = status, true
		}
		isOver := errors.Is(broken, ErrDeadlineExceeded)
		// A server that is not there at all has had its retries.
		isBroken := seen && errors.Is(broken, ErrUnavailable)
		if ctx.Err() != nil || !isOver && !isBroken {
			return last, broken
		}
	}
}

// message encodes the output.
func (o Output) message() (*pb.SubmitVerificationRequest, error) {
	w, m := writing{}, &pb.SubmitVerificationRequest{}
	w.fill(m, o)
	if o.Format.JSON != nil && o.Format.List != nil {
		w.refuse(ReasonInvalidOption, "JSON or a list, not both", "format")
	}
	return m, w.done()
}

// newVerificationStatus reads the status of this id, any where it is empty.
func newVerificationStatus(m *pb.VerificationStatus, id string) (*VerificationStatus, error) {
	r := &reading{at: "the status"}
	if m.GetId() == "" || id != "" && m.GetId() != id {
		r.breach("it is of another id")
	}
	status := &VerificationStatus{}
	r.fill(status, m)
	if (m.GetResult() != nil) != (status.State == VerificationDone) {
		r.breach("it is %s with a result, or without one", status.State)
	}
	if m.GetResult() != nil {
		status.Result = r.verifiedOutput(m.GetResult())
	}
	return done(r, status)
}

// verifiedOutput reads a result, whose flag has to follow from its numbers.
func (r *reading) verifiedOutput(m *pb.VerifiedOutput) *VerifiedOutput {
	output := &VerifiedOutput{}
	r.fill(output, m)
	if output.Flagged != (output.RiskBits > output.FlagThresholdBits) {
		r.breach("flagged is %v at %v of %v bits", output.Flagged, output.RiskBits, output.FlagThresholdBits)
	}
	// Who asks by an id need not know how long the response was.
	report, err := newReport(m.GetReport(), math.MaxInt)
	if err != nil {
		if r.err == nil {
			r.err = err
		}
		return nil
	}
	output.Report = *report
	return output
}
