package groundwire

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// TurnRole says who speaks in a [Turn].
type TurnRole string

const (
	// TurnSystem: the operator of the agent. Its turns are evidence.
	TurnSystem TurnRole = "SYSTEM"
	// TurnUser: the user. Its turns are evidence.
	TurnUser TurnRole = "USER"
	// TurnAssistant: the agent itself. Its turns are evidence for nothing.
	TurnAssistant TurnRole = "ASSISTANT"
	// TurnTool: a tool, with what it returned. Its turns are evidence.
	TurnTool TurnRole = "TOOL"
)

// Turn is one message of a conversation.
type Turn struct {
	// Role says who speaks.
	Role TurnRole
	// Text is what is said, or what a tool returned. Without a visible
	// character the turn is left out.
	Text string
	// ID is the id under which the response may cite it, as [Document.ID].
	// Empty: "turn-N", with N counted from 1 over all turns.
	ID string
	// Name is that of the tool or of whoever speaks, shown to the model. Empty:
	// the role.
	Name string
}

// StatedFormat is the form that a response was asked to have. It is checked by
// rules. The zero value asks for nothing.
type StatedFormat struct {
	// JSON asks for one JSON value and nothing around it. Nil: it does not.
	JSON *JSONFormat
	// List asks for a list. Nil: it does not. With JSON it is refused.
	List *ListFormat
	// MaxCharacters are the most characters, at least 1. Nil: any number.
	MaxCharacters *int
}

// JSONFormat asks for one JSON value.
type JSONFormat struct {
	// Schema is a JSON Schema as JSON text. Empty: any value. Nothing outside of
	// it is followed.
	Schema string
}

// ListFormat asks for a list: lines that begin with a bullet, or with a number
// or letter and "." or ")".
type ListFormat struct {
	// MinItems are the fewest items, at least 1. Nil: 1.
	MinItems *int
	// MaxItems are the most items, at least MinItems. Nil: any number.
	MaxItems *int
}

// Output is what an agent has said, with its conversation.
type Output struct {
	// Response is what the agent has said, with at least one visible character.
	Response string
	// Turns are the conversation before it. All turns but the agent's own are
	// evidence.
	Turns []Turn
	// Documents are what the agent was given besides.
	Documents []Document
	// Format is the form that the response was asked to have.
	Format StatedFormat
	// Question is what it answers. Empty: claims are read by themselves.
	Question string
	// Extract says how claims are found.
	Extract ExtractOptions
	// Options say how they are verified.
	Options VerifyOptions
}

// VerificationState says how far a verification is. A newer server may send
// others than those named here.
type VerificationState string

const (
	// VerificationQueued: accepted; it waits. It can come back to this state.
	VerificationQueued VerificationState = "QUEUED"
	// VerificationRunning: it is being read.
	VerificationRunning VerificationState = "RUNNING"
	// VerificationDone is final: the result is there.
	VerificationDone VerificationState = "DONE"
	// VerificationSkipped is final: it was not accepted, and is not going to be
	// verified.
	VerificationSkipped VerificationState = "SKIPPED"
	// VerificationFailed is final: it can never be verified.
	VerificationFailed VerificationState = "FAILED"
)

// SkipReason says why an output was skipped. A newer server may send others
// than those named here.
type SkipReason string

const (
	// SkipQueueFull: as much is queued as the operator allows.
	SkipQueueFull SkipReason = "QUEUE_FULL"
	// SkipOverloaded: the server has too much to do that someone waits for.
	SkipOverloaded SkipReason = "OVERLOADED"
)

// VerificationStatus tells how far a verification is.
type VerificationStatus struct {
	// ID is what it is asked for by.
	ID string
	// State says how far it is. Never empty.
	State VerificationState `pb:",set"`
	// ReadClaims are the claims that have a verdict so far, while it runs.
	ReadClaims int
	// TotalClaims are the claims that are verified, while it runs; 0 until they
	// are known.
	TotalClaims int
	// SkipReason says why it was skipped. Empty: it was not.
	SkipReason SkipReason
	// FailureReason says why it failed, as [Error.Reason]. Empty: it has not.
	FailureReason string
	// StateText says why it waits, was skipped or failed, in English.
	StateText string
	// Result is the result. Nil: it is not there, or never will be.
	Result *VerifiedOutput `pb:"-"`
}

// IsFinal reports whether nothing follows.
func (s *VerificationStatus) IsFinal() bool {
	switch s.State {
	case VerificationDone, VerificationSkipped, VerificationFailed:
		return true
	}
	return false
}

// VerifiedOutput is the result of a verification.
type VerifiedOutput struct {
	// Report has the claims with their verdicts, the summary and what it cost.
	Report Report `pb:"-"`
	// FormatViolations say how the response differs from the stated format. Nil:
	// not at all, or none was stated.
	FormatViolations []FormatViolation
	// RiskBits are the bits of evidence that the response lacks, at least 0,
	// over all of its claims.
	RiskBits float64 `pb:",positive"`
	// UnreadClaims are those that nothing is known of, so that the risk may be
	// larger.
	UnreadClaims int
	// Flagged reports whether RiskBits is above FlagThresholdBits.
	Flagged bool
	// FlagThresholdBits is the operator's threshold.
	FlagThresholdBits float64
	// Instruction is what to tell the agent so that it corrects itself, in the
	// language of the response. Empty: there is nothing to correct.
	Instruction string
}

// FormatViolation is one way in which a response differs from its format.
type FormatViolation struct {
	// Pointer says where, as a JSON pointer. Empty: the response as a whole.
	Pointer string
	// Description says what is wrong, in English.
	Description string
}

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
