package groundwire_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

const detectionID = "0123456789abcdef0123456789abcdef"

// scriptedFeedback is the part of the scripted server that takes feedback.
type scriptedFeedback struct {
	pb.UnimplementedFeedbackServer
	record func(context.Context, *pb.RecordFeedbackRequest) (*pb.RecordFeedbackResponse, error)
	erase  func(context.Context, *pb.EraseDetectionsRequest) (*pb.EraseDetectionsResponse, error)
}

func (s *scriptedFeedback) EraseDetections(ctx context.Context, r *pb.EraseDetectionsRequest) (*pb.EraseDetectionsResponse, error) {
	return s.erase(ctx, r)
}

func (s *scriptedFeedback) RecordFeedback(ctx context.Context, r *pb.RecordFeedbackRequest) (*pb.RecordFeedbackResponse, error) {
	return s.record(ctx, r)
}

func TestFeedbackIsSentWithAllThatItHas(t *testing.T) {
	verdicts := map[groundwire.FeedbackVerdict]pb.FeedbackVerdict{
		groundwire.FeedbackGrounded:    pb.FeedbackVerdict_FEEDBACK_VERDICT_GROUNDED,
		groundwire.FeedbackNotGrounded: pb.FeedbackVerdict_FEEDBACK_VERDICT_NOT_GROUNDED,
		groundwire.FeedbackUnsure:      pb.FeedbackVerdict_FEEDBACK_VERDICT_UNSURE,
	}
	for verdict, number := range verdicts {
		var got *pb.RecordFeedbackRequest
		client := connect(t, &scripted{feedback: scriptedFeedback{
			record: func(_ context.Context, r *pb.RecordFeedbackRequest) (*pb.RecordFeedbackResponse, error) {
				got = r
				return &pb.RecordFeedbackResponse{Replaced: true}, nil
			},
		}})
		recorded, err := client.RecordFeedback(t.Context(), groundwire.Feedback{
			DetectionID: detectionID, Index: 3, Verdict: verdict, Note: "why",
		})
		if err != nil || !recorded.Replaced {
			t.Fatalf("got %+v, %v", recorded, err)
		}
		want := &pb.RecordFeedbackRequest{DetectionId: detectionID, Index: 3, Verdict: number, Note: "why"}
		if !proto.Equal(got, want) {
			t.Errorf("sent %v, not %v", got, want)
		}
	}
}

func TestFeedbackOnWhatIsNotThereIsNotFound(t *testing.T) {
	failed, err := status.New(codes.NotFound, "the server's text").
		WithDetails(&errdetails.ErrorInfo{Reason: groundwire.ReasonDetectionNotFound, Domain: "groundwire"})
	if err != nil {
		t.Fatal(err)
	}
	client := connect(t, &scripted{feedback: scriptedFeedback{
		record: func(context.Context, *pb.RecordFeedbackRequest) (*pb.RecordFeedbackResponse, error) {
			return nil, failed.Err()
		},
	}})
	_, err = client.RecordFeedback(t.Context(), groundwire.Feedback{Verdict: groundwire.FeedbackGrounded})
	if !errors.Is(err, groundwire.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestFeedbackThatCannotBeWrittenIsRefused(t *testing.T) {
	client := connect(t, &scripted{})
	for field, feedback := range map[string]groundwire.Feedback{
		"note":    {Verdict: groundwire.FeedbackGrounded, Note: "\xff"},
		"verdict": {Verdict: "MAYBE"},
		"index":   {Verdict: groundwire.FeedbackGrounded, Index: 1 << 40},
	} {
		_, err := client.RecordFeedback(t.Context(), feedback)
		if !errors.Is(err, groundwire.ErrInvalidRequest) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestADetectionOrAllAreErasedAndCounted(t *testing.T) {
	var got *pb.EraseDetectionsRequest
	client := connect(t, &scripted{feedback: scriptedFeedback{
		erase: func(_ context.Context, r *pb.EraseDetectionsRequest) (*pb.EraseDetectionsResponse, error) {
			got = r
			return &pb.EraseDetectionsResponse{Feedback: 1, Outputs: 2, AuditLines: 3}, nil
		},
	}})
	want := groundwire.ErasedDetections{Feedback: 1, Outputs: 2, AuditLines: 3}
	erased, err := client.EraseDetection(t.Context(), detectionID)
	if err != nil || *erased != want || got.GetDetectionId() != detectionID || got.GetAll() {
		t.Errorf("got %+v, %v for %v", erased, err, got)
	}
	erased, err = client.EraseAllDetections(t.Context())
	if err != nil || *erased != want || got.GetDetectionId() != "" || !got.GetAll() {
		t.Errorf("got %+v, %v for %v", erased, err, got)
	}
}
