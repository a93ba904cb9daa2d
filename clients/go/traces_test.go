package groundwire_test

import (
	"context"
	"testing"

	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedTraces is the part of the scripted server that audits.
type scriptedTraces struct {
	pb.UnimplementedTraceAuditServer
	audit func(context.Context, *pb.AuditTraceRequest) (*pb.AuditTraceResponse, error)
}

func (s *scriptedTraces) AuditTrace(ctx context.Context, r *pb.AuditTraceRequest) (*pb.AuditTraceResponse, error) {
	return s.audit(ctx, r)
}

// auditing is a server that gives this audit to every call, and keeps the request.
func auditing(response *pb.AuditTraceResponse, sent **pb.AuditTraceRequest) *scripted {
	return &scripted{traces: scriptedTraces{audit: giving(response, sent)}}
}

// entailed is a step that its evidence carries.
func entailed() *pb.StepAudit {
	return &pb.StepAudit{
		Status: pb.StepStatus_STEP_STATUS_ENTAILED, ReasonText: "4.1 bits cover 3.9", Claims: 1,
		Content: "It is tall.", Verdict: supported(),
	}
}

// sound is the audit of a trace with one step, whose answer follows.
func sound() *pb.AuditTraceResponse {
	return &pb.AuditTraceResponse{
		Steps: []*pb.StepAudit{entailed()}, Sound: true, Run: done(), Rounds: 1,
		PostHoc: &pb.PostHoc{
			Status: pb.PostHocStatus_POST_HOC_STATUS_FOLLOWS, Reason: pb.PostHocReason_POST_HOC_REASON_SAME_ANSWER,
			Executor: pb.PostHocExecutor_POST_HOC_EXECUTOR_GENERATION, DerivedAnswer: "42",
		},
	}
}

func TestAuditTraceSendsEveryFieldAndSaysWhichStepsAreSupported(t *testing.T) {
	response := sound()
	response.Sound = false
	response.FirstUnsupportedStep = new(int32(1))
	response.Steps = append(response.Steps,
		&pb.StepAudit{Status: pb.StepStatus_STEP_STATUS_CONTRADICTED, Claims: 2, Content: "No.", Verdict: contradicted()},
		&pb.StepAudit{
			Status:             pb.StepStatus_STEP_STATUS_UNVERIFIABLE,
			UnverifiableReason: pb.UnverifiableReason_UNVERIFIABLE_REASON_NON_ASSERTIVE,
			NonAssertiveReason: pb.NonAssertiveReason_NON_ASSERTIVE_REASON_QUESTION,
		})
	var sent *pb.AuditTraceRequest
	client := connect(t, auditing(response, &sent))
	got, err := client.AuditTrace(t.Context(), groundwire.Trace{
		Steps: []string{"a", "b", "c?"}, Evidence: groundwire.ContextEvidence("text"), Question: "q", Answer: "42",
		CheckPostHoc: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	if supported := got.Steps; !supported[0].Supported() || supported[1].Supported() || !supported[2].Supported() {
		t.Errorf("got %+v", got.Steps)
	}
	want := &pb.AuditTraceRequest{
		Steps: []string{"a", "b", "c?"}, Evidence: &pb.Evidence{Context: "text"}, Question: "q", Answer: "42",
		Options: &pb.VerifyOptions{Thresholds: &pb.Thresholds{}}, CheckPostHoc: new(true),
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v\nwant %v", sent, want)
	}
}

func TestChatMessagesAreSentAndTheirStepsComeBack(t *testing.T) {
	response := sound()
	response.Steps[0].Text = "It is tall."
	response.Steps = append(response.Steps, &pb.StepAudit{
		Status:             pb.StepStatus_STEP_STATUS_UNVERIFIABLE,
		UnverifiableReason: pb.UnverifiableReason_UNVERIFIABLE_REASON_TOOL_CALL, Text: "look()",
	})
	var sent *pb.AuditTraceRequest
	got, err := connect(t, auditing(response, &sent)).AuditTrace(t.Context(), groundwire.Trace{
		Messages: []groundwire.ChatMessage{
			{Role: "user", Content: "How tall?"},
			{Role: "assistant", Content: "It is tall.", ToolCalls: []groundwire.ChatToolCall{
				{ID: "c1", Name: "look", Arguments: "{}"},
			}},
			{Role: "tool", Content: "330 m", ToolCallID: "c1"},
			{Role: "assistant", Content: "42"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &pb.AuditTraceRequest{
		Options: sent.GetOptions(),
		Messages: []*pb.ChatMessage{
			{Role: "user", Content: "How tall?"},
			{Role: "assistant", Content: "It is tall.", ToolCalls: []*pb.ChatToolCall{
				{Id: "c1", Type: "function", Function: &pb.ChatFunction{Name: "look", Arguments: "{}"}},
			}},
			{Role: "tool", Content: "330 m", ToolCallId: "c1"},
			{Role: "assistant", Content: "42"},
		},
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	if len(got.Steps) != 2 || got.Steps[0].Text != "It is tall." || got.Steps[1].Text != "look()" ||
		!got.Steps[1].Supported() {
		t.Errorf("got %+v", got.Steps)
	}
}

func TestATraceWithoutEvidenceSendsNone(t *testing.T) {
	var sent *pb.AuditTraceRequest
	client := connect(t, auditing(sound(), &sent))
	if _, err := client.AuditTrace(t.Context(), groundwire.Trace{Steps: []string{"a"}, Answer: "42"}); err != nil {
		t.Fatal(err)
	}
	if sent.Evidence != nil || sent.CheckPostHoc != nil {
		t.Errorf("sent %v", sent)
	}
}

func TestAStatusThatIsNewerThanTheClientIsNotSupported(t *testing.T) {
	response := sound()
	response.Steps[0].Status, response.Sound = 99, false
	got, err := connect(t, auditing(response, nil)).AuditTrace(t.Context(), groundwire.Trace{Steps: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Steps[0].Supported() {
		t.Errorf("got %+v", got.Steps[0])
	}
}
