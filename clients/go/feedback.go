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
	w, request := writing{}, &pb.RecordFeedbackRequest{}
	w.fill(request, feedback)
	if err := w.done(); err != nil {
		return nil, err
	}
	return call(ctx, c, c.feedback.RecordFeedback, request, func(response *pb.RecordFeedbackResponse) (*RecordedFeedback, error) {
		return &RecordedFeedback{Replaced: response.GetReplaced()}, nil
	})
}

// ErasedDetections is the answer to [Client.EraseDetection] and
// [Client.EraseAllDetections]: how much is gone.
type ErasedDetections struct {
	// Feedback counts detections that are gone from the feedback file, with what
	// people said of them.
	Feedback int
	// Outputs counts outputs that are gone from the queue and its results.
	Outputs int
	// AuditLines counts lines that are gone from the files of the audit record.
	AuditLines int
}

// EraseDetection deletes what the server keeps of one detection of this caller,
// by its [Run.DetectionID], or an output by the ID of its status. An id of which
// nothing is kept is no error.
//
// Errors are of type [*Error]: errors.Is(err, [ErrUnavailable]) holds where not
// all of it could be deleted; call again.
func (c *Client) EraseDetection(ctx context.Context, detectionID string) (*ErasedDetections, error) {
	var w writing
	which := &pb.EraseDetectionsRequest_DetectionId{DetectionId: w.text(detectionID, "detection_id")}
	if err := w.done(); err != nil {
		return nil, err
	}
	return c.erase(ctx, &pb.EraseDetectionsRequest{Which: which})
}

// EraseAllDetections deletes what the server keeps of all detections of this
// caller's tenant or, where its token names none, of this token. For the errors
// see [Client.EraseDetection].
func (c *Client) EraseAllDetections(ctx context.Context) (*ErasedDetections, error) {
	return c.erase(ctx, &pb.EraseDetectionsRequest{Which: &pb.EraseDetectionsRequest_All{All: true}})
}

func (c *Client) erase(ctx context.Context, request *pb.EraseDetectionsRequest) (*ErasedDetections, error) {
	return call(ctx, c, c.feedback.EraseDetections, request, func(response *pb.EraseDetectionsResponse) (*ErasedDetections, error) {
		r, erased := &reading{at: "the response"}, &ErasedDetections{}
		r.fill(erased, response)
		return done(r, erased)
	})
}
