package groundwire

import (
	"context"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// FeedbackVerdict is what a person says of a claim.
type FeedbackVerdict string

// The verdicts of people.
const (
	// FeedbackGrounded: the evidence carries the claim.
	FeedbackGrounded FeedbackVerdict = "GROUNDED"
	// FeedbackNotGrounded: the evidence does not carry the claim, or says
	// otherwise.
	FeedbackNotGrounded FeedbackVerdict = "NOT_GROUNDED"
	// FeedbackUnsure: the person cannot tell. It is kept, and no calibration is
	// fitted on it.
	FeedbackUnsure FeedbackVerdict = "UNSURE"
)

// Feedback is what a person says of one verdict.
type Feedback struct {
	// DetectionID is the [Run.DetectionID] of the result that the verdict is in.
	DetectionID string
	// Index is the verdict's index there, from 0: of the claim, the fact or the
	// step. The post-hoc check of a trace has the number of its steps.
	Index int
	// Verdict is what the person says.
	Verdict FeedbackVerdict
	// Note says why, in at most 2,000 characters. It is stored as it is. Empty:
	// nothing.
	Note string
}

// RecordedFeedback is the answer to [Client.RecordFeedback]: it is stored.
type RecordedFeedback struct {
	// Replaced reports whether there was feedback on this claim before, which is
	// gone now.
	Replaced bool
}

// RecordFeedback stores what a person says of one verdict, for the server's
// calibration to learn from. A second call for the same claim replaces the
// first.
//
// Errors are of type [*Error]: errors.Is(err, [ErrNotFound]) holds where there is
// no such verdict of a call with this token, or no more, and errors.Is(err,
// [ErrNotEnabled]) where feedback is off on this server.
func (c *Client) RecordFeedback(ctx context.Context, feedback Feedback) (*RecordedFeedback, error) {
	var w writing
	request := &pb.RecordFeedbackRequest{
		DetectionId: w.text(feedback.DetectionID, "detection_id"),
		Index:       w.int32(feedback.Index, ReasonInvalidOption, "index"),
		Verdict: pb.FeedbackVerdict(enumNumber(&w, pb.FeedbackVerdict_value, "FEEDBACK_VERDICT_",
			feedback.Verdict, "verdict")),
		Note: w.text(feedback.Note, "note"),
	}
	if err := w.done(); err != nil {
		return nil, err
	}
	return call(ctx, c, c.feedback.RecordFeedback, request, func(response *pb.RecordFeedbackResponse) (*RecordedFeedback, error) {
		return &RecordedFeedback{Replaced: response.GetReplaced()}, nil
	})
}
