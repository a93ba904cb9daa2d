package groundwire_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

const outputID = "0123456789abcdef"

// scriptedOutputs is the part of the scripted server that verifies in the
// background. Each status is one answer.
type scriptedOutputs struct {
	pb.UnimplementedOutputVerificationServer
	statuses []*pb.VerificationStatus
	err      error
	sent     *pb.SubmitVerificationRequest
	calls    int
	// broken are the ends of the first watches, each after the first status.
	broken []error
}

func (s *scriptedOutputs) SubmitVerification(_ context.Context, r *pb.SubmitVerificationRequest) (*pb.SubmitVerificationResponse, error) {
	s.calls++
	s.sent = r
	if s.err != nil {
		return nil, s.err
	}
	return &pb.SubmitVerificationResponse{Status: s.statuses[0]}, nil
}

func (s *scriptedOutputs) GetVerification(context.Context, *pb.GetVerificationRequest) (*pb.GetVerificationResponse, error) {
	if s.err != nil {
		return nil, s.err
	}
	return &pb.GetVerificationResponse{Status: s.statuses[0]}, nil
}

func (s *scriptedOutputs) WatchVerification(_ *pb.WatchVerificationRequest, stream grpc.ServerStreamingServer[pb.WatchVerificationResponse]) error {
	if len(s.broken) > 0 {
		err := s.broken[0]
		s.broken = s.broken[1:]
		return errors.Join(stream.Send(&pb.WatchVerificationResponse{Status: s.statuses[0]}), err)
	}
	for _, status := range s.statuses {
		if err := stream.Send(&pb.WatchVerificationResponse{Status: status}); err != nil {
			return err
		}
	}
	return s.err
}

// verifying is a server that gives these statuses.
func verifying(statuses ...*pb.VerificationStatus) *scripted {
	return &scripted{outputs: scriptedOutputs{statuses: statuses}}
}

func queued() *pb.VerificationStatus {
	return &pb.VerificationStatus{Id: outputID, State: pb.VerificationState_VERIFICATION_STATE_QUEUED}
}

// verified is a final status with a result.
func verified() *pb.VerificationStatus {
	return &pb.VerificationStatus{
		Id: outputID, State: pb.VerificationState_VERIFICATION_STATE_DONE,
		Result: &pb.VerifiedOutput{
			Report: report(), RiskBits: 1.5, UnreadClaims: 1, Flagged: true, FlagThresholdBits: 0.5,
			Instruction:      "Correct it.",
			FormatViolations: []*pb.FormatViolation{{Pointer: "/floors", Description: "no number"}},
		},
	}
}

func TestSubmitVerificationSendsTheConversation(t *testing.T) {
	server := verifying(queued())
	client := connect(t, server)
	got, err := client.SubmitVerification(t.Context(), groundwire.Output{
		Response:  "It is tall.",
		Turns:     []groundwire.Turn{{Role: groundwire.TurnTool, Text: "tall", ID: "call-7", Name: "search"}},
		Documents: []groundwire.Document{{ID: "D1", Text: "text", Title: "title"}},
		Format:    groundwire.StatedFormat{List: &groundwire.ListFormat{MinItems: new(3)}, MaxCharacters: new(100)},
		Question:  "How tall?",
	})
	if err != nil || got.ID != outputID || got.State != groundwire.VerificationQueued || got.IsFinal() {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := &pb.SubmitVerificationRequest{
		Response:  "It is tall.",
		Turns:     []*pb.Turn{{Role: pb.TurnRole_TURN_ROLE_TOOL, Text: "tall", Id: "call-7", Name: "search"}},
		Documents: []*pb.ConversationDocument{{Id: "D1", Text: "text", Title: "title"}},
		Format: &pb.StatedFormat{
			Kind:          &pb.StatedFormat_List{List: &pb.ListFormat{MinItems: new(int32(3))}},
			MaxCharacters: new(int32(100)),
		},
		Question: "How tall?",
		Extract:  &pb.ExtractOptions{},
		Options:  &pb.VerifyOptions{Thresholds: &pb.Thresholds{}},
	}
	if !proto.Equal(server.outputs.sent, want) {
		t.Errorf("sent %v\nwant %v", server.outputs.sent, want)
	}
}

func TestWatchVerificationYieldsEachChange(t *testing.T) {
	running := &pb.VerificationStatus{
		Id: outputID, State: pb.VerificationState_VERIFICATION_STATE_RUNNING, ReadClaims: 1, TotalClaims: 2,
	}
	client := connect(t, verifying(queued(), running, verified()))
	var states []groundwire.VerificationState
	for status, err := range client.WatchVerification(t.Context(), outputID) {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, status.State)
	}
	want := []groundwire.VerificationState{
		groundwire.VerificationQueued, groundwire.VerificationRunning, groundwire.VerificationDone,
	}
	if !slices.Equal(states, want) {
		t.Errorf("got %v", states)
	}
}

func TestAStreamThatEndsBeforeTheVerificationIsAnInternalError(t *testing.T) {
	var last error
	for _, err := range connect(t, verifying(queued())).WatchVerification(t.Context(), outputID) {
		last = err
	}
	mustBreach(t, last, "ended before")
}

func TestAwaitVerificationWatchesAgainWhereAWatchBreaks(t *testing.T) {
	server := verifying(queued(), verified())
	server.outputs.broken = []error{
		status.Error(codes.DeadlineExceeded, "the limit on a call"), status.Error(codes.Unavailable, "it ends"),
	}
	got, err := connect(t, server).AwaitVerification(t.Context(), outputID)
	if err != nil || got.State != groundwire.VerificationDone || len(server.outputs.broken) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAwaitVerificationReturnsTheLastStatusWithAnError(t *testing.T) {
	server := verifying(queued())
	server.outputs.broken = []error{status.Error(codes.Internal, "a bug")}
	got, err := connect(t, server).AwaitVerification(t.Context(), outputID)
	if got == nil || got.State != groundwire.VerificationQueued || !errors.Is(err, groundwire.ErrInternal) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAwaitVerificationLastsAsLongAsItsContext(t *testing.T) {
	server := verifying(queued())
	server.outputs.broken = []error{status.Error(codes.DeadlineExceeded, "the limit on a call")}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := connect(t, server).AwaitVerification(ctx, outputID); err == nil {
		t.Error("no error")
	}
}

func TestASkippedOutputSaysWhy(t *testing.T) {
	skipped := &pb.VerificationStatus{
		Id: outputID, State: pb.VerificationState_VERIFICATION_STATE_SKIPPED,
		SkipReason: pb.SkipReason_SKIP_REASON_QUEUE_FULL, StateText: "full",
	}
	got, err := connect(t, verifying(skipped)).SubmitVerification(t.Context(), groundwire.Output{Response: "a"})
	if err != nil || got.SkipReason != groundwire.SkipQueueFull || got.StateText != "full" || !got.IsFinal() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnOutputThatCannotBeKeptIsSubmittedOnce(t *testing.T) {
	server := verifying()
	server.outputs.err = status.Error(codes.Unavailable, "no space is left")
	_, err := connect(t, server).SubmitVerification(t.Context(), groundwire.Output{Response: "a"})
	if !errors.Is(err, groundwire.ErrUnavailable) || server.outputs.calls != 1 {
		t.Errorf("got %v after %d calls", err, server.outputs.calls)
	}
}

func TestAVerificationOfNobodyIsNotFound(t *testing.T) {
	server := verifying()
	missing, err := status.New(codes.NotFound, "none").WithDetails(
		&errdetails.ErrorInfo{Reason: groundwire.ReasonNotFound, Domain: "groundwire"})
	if err != nil {
		t.Fatal(err)
	}
	server.outputs.err = missing.Err()
	_, err = connect(t, server).GetVerification(t.Context(), outputID)
	mustBeOnly(t, err, groundwire.ErrNotFound)
	for _, err := range connect(t, server).WatchVerification(t.Context(), outputID) {
		if err != nil {
			mustBeOnly(t, err, groundwire.ErrNotFound)
		}
	}
}
