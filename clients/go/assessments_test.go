package groundwire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedAssessments is the part of the scripted server that assesses.
type scriptedAssessments struct {
	pb.UnimplementedResponseAssessmentServer
	assess func(context.Context, *pb.AssessResponseRequest) (*pb.AssessResponseResponse, error)
}

func (s *scriptedAssessments) AssessResponse(
	ctx context.Context, r *pb.AssessResponseRequest,
) (*pb.AssessResponseResponse, error) {
	return s.assess(ctx, r)
}

// assessing is a server that gives this assessment to every call, and keeps the
// request.
func assessing(response *pb.AssessResponseResponse, sent **pb.AssessResponseRequest) *scripted {
	return &scripted{assessments: scriptedAssessments{assess: giving(response, sent)}}
}

// warned is the assessment of a response that two layers doubt.
func warned() *pb.AssessResponseResponse {
	return &pb.AssessResponseResponse{
		IsLikelyHallucination: true, Confidence: new(0.72), SuggestedAction: pb.SuggestedAction_SUGGESTED_ACTION_WARN,
		Layers: []*pb.LayerReport{
			{
				Layer: pb.AssessmentLayer_ASSESSMENT_LAYER_HEURISTIC, State: pb.LayerState_LAYER_STATE_RAN,
				Score: new(0.6), Duration: durationpb.New(time.Millisecond),
			},
			{
				Layer: pb.AssessmentLayer_ASSESSMENT_LAYER_COMMON_SENSE, State: pb.LayerState_LAYER_STATE_RAN,
				Score: new(0.8), CutCharacters: 7,
			},
			{
				Layer: pb.AssessmentLayer_ASSESSMENT_LAYER_DETAILED, State: pb.LayerState_LAYER_STATE_SKIPPED,
				Reason: pb.LayerReason_LAYER_REASON_NO_TOOL_RESULT,
			},
		},
		UserText: &pb.UserText{Badge: "Confidence: 72%", Text: "Check what matters:"},
		Language: "en", Run: done(),
	}
}

func TestAssessResponseSendsEveryField(t *testing.T) {
	var sent *pb.AssessResponseRequest
	client := connect(t, assessing(warned(), &sent))
	_, err := client.AssessResponse(t.Context(), groundwire.Exchange{
		Question: "q", Response: "It is 12 °C.", Language: "en", Backend: "default", SkipResultCache: true,
		Layers: []groundwire.AssessmentLayer{groundwire.LayerHeuristic, groundwire.LayerCommonSense},
		ToolCalls: []groundwire.ToolCall{
			{Name: "a", Arguments: "{}", Result: new(""), Duration: new(time.Second)},
			{Name: "b", Error: new("time-out")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &pb.AssessResponseRequest{
		Question: "q", Response: "It is 12 °C.", Language: "en", Backend: "default", SkipResultCache: true,
		Layers: []pb.AssessmentLayer{1, 2},
		ToolCalls: []*pb.ToolCall{
			{Name: "a", Arguments: "{}", Outcome: &pb.ToolCall_Result{}, Duration: durationpb.New(time.Second)},
			{Name: "b", Outcome: &pb.ToolCall_Error{Error: "time-out"}},
		},
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v\nwant %v", sent, want)
	}
}

func TestAnExchangeThatCannotBeWrittenIsRefusedWithItsField(t *testing.T) {
	client := connect(t, assessing(warned(), nil))
	for field, exchange := range map[string]groundwire.Exchange{
		"tool_calls[0].arguments": {ToolCalls: []groundwire.ToolCall{{Name: "a", Arguments: "\xff"}}},
		"tool_calls[0]":           {ToolCalls: []groundwire.ToolCall{{Name: "a", Result: new(""), Error: new("x")}}},
		"layers[0]":               {Layers: []groundwire.AssessmentLayer{"OTHER"}},
	} {
		_, err := client.AssessResponse(t.Context(), exchange)
		var failed *groundwire.Error
		if !errors.As(err, &failed) || failed.Violations[0].Field != field || !errors.Is(err, groundwire.ErrInvalidRequest) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}
