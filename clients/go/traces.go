package groundwire

import (
	"fmt"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Trace is a chain of reasoning to audit.
type Trace struct {
	// Steps are its steps in their order, at least one. The server's operator
	// bounds their number and length, by default to 100 and 4,000 characters.
	Steps []string
	// Messages are chat messages with tool calls in place of Steps. What the
	// assistant says and calls are steps, all else is evidence, and the last
	// message, if it is the assistant's and calls nothing, is the answer.
	Messages []ChatMessage
	// Evidence is what the steps were taken from. The zero value: none is known,
	// so no step can be judged, and only the answer is checked.
	Evidence Evidence `pb:"-"`
	// Question is what the trace answers. Empty: not known.
	Question string
	// Answer is the final answer. Empty: there is none, and it is not checked.
	Answer string
	// Options say how steps are judged. MaxClaims, MinClaimCharacters and
	// AttributeCitations have no effect.
	Options VerifyOptions
	// CheckPostHoc says whether to check that the answer follows from the steps
	// alone. Nil: as the server is set.
	CheckPostHoc *bool
}

// ChatMessage is a message of a chat, in the shape that OpenAI's API has.
type ChatMessage struct {
	// Role is "system", "developer", "user", "assistant" or "tool".
	Role string
	// Content is what is said, or what a tool returned.
	Content string
	// ToolCalls are the calls that the assistant makes.
	ToolCalls []ChatToolCall
	// ToolCallID is the id of the call whose result a message of a tool is.
	ToolCallID string
}

// ChatToolCall is the call of a tool in a message.
type ChatToolCall struct {
	// ID is what the message with its result names.
	ID string
	// Name is the tool.
	Name string
	// Arguments are its arguments as JSON. Empty: it has none.
	Arguments string
}

// TraceAudit is the answer to [Client.AuditTrace].
type TraceAudit struct {
	// Steps has one entry for each step, in their order.
	Steps []AuditedStep `pb:"-"`
	// FirstUnsupportedStep is the index of the first step at which the trace
	// leaves its evidence: the first that is [StepContradicted] or
	// [StepNotInContext]. Nil: no step that could be read does.
	FirstUnsupportedStep *int
	// PostHoc says whether the answer follows from the steps.
	PostHoc PostHoc `pb:"-"`
	// Sound reports whether every step is entailed or asserts nothing, at least
	// one is entailed, and the answer follows, where that was to be checked. It
	// is false whenever something could not be read.
	Sound bool
	// Run says what was done and what it cost.
	Run Run `pb:",set"`
	// Rounds are the times that steps were read.
	Rounds int
}

// AuditedStep is a step with what is known of it.
type AuditedStep struct {
	// Text is the step as it was sent, or as it was read from the messages.
	Text string `pb:"-"`
	// Status is what is known of it.
	Status StepStatus `pb:",set"`
	// UnverifiableReason says why, where the status is [StepUnverifiable]; else
	// it is empty.
	UnverifiableReason UnverifiableReason
	// ReasonText says how the status came about, in English, with the numbers.
	ReasonText string
	// Claims are the claims that the step makes. It is as good as the weakest.
	Claims int
	// Verdict is what is known of the claim that decided; its Content is the
	// claim. Nil: the step makes none, or there is no evidence.
	Verdict *VerifiedClaim `pb:"-"`
	// NonAssertiveReason says what the step is instead of an assertion, with
	// [UnverifiableNonAssertive].
	NonAssertiveReason NonAssertiveReason
}

// Supported reports whether the step is entailed, or asserts nothing that could
// be, so that it harms no trace.
func (s AuditedStep) Supported() bool {
	return s.Status == StepEntailed ||
		s.UnverifiableReason == UnverifiableNonAssertive || s.UnverifiableReason == UnverifiablePlan ||
		s.UnverifiableReason == UnverifiableToolCall
}

// PostHoc says whether an answer follows from the steps alone.
type PostHoc struct {
	// Status is the result.
	Status PostHocStatus `pb:",set"`
	// Reason says how it came about.
	Reason PostHocReason `pb:",set"`
	// ReasonText is the same in English.
	ReasonText string
	// Executor says who derived the answer. Empty: nobody did.
	Executor PostHocExecutor
	// DerivedAnswer is what was derived from the steps, with
	// [PostHocGeneration]; empty if nothing was.
	DerivedAnswer string
	// Verdict is the reading of the answer, with [PostHocRead]: P1 is with the
	// steps, P0 without them; with [PostHocOtherConclusion] those of the last
	// step alone. Nil: not read.
	Verdict *VerifiedClaim `pb:"-"`
}

// StepStatus is what is known of a step. A newer server may send others than
// those named here.
type StepStatus string

const (
	// StepEntailed: the context, or steps before that are entailed, carry all
	// that it asserts.
	StepEntailed StepStatus = "ENTAILED"
	// StepContradicted: the context, or steps before that are entailed, say
	// otherwise.
	StepContradicted StepStatus = "CONTRADICTED"
	// StepNotInContext: it asserts what is in neither, be it true or not.
	StepNotInContext StepStatus = "NOT_IN_CONTEXT"
	// StepUnverifiable: nothing is known of it.
	StepUnverifiable StepStatus = "UNVERIFIABLE"
)

// UnverifiableReason says why nothing is known of a step. A newer server may
// send others than those named here.
type UnverifiableReason string

const (
	// UnverifiableNonAssertive: it asserts nothing.
	UnverifiableNonAssertive UnverifiableReason = "NON_ASSERTIVE"
	// UnverifiablePlan: it only says what is going to be done.
	UnverifiablePlan UnverifiableReason = "PLAN"
	// UnverifiableNoEvidence: the call had no evidence.
	UnverifiableNoEvidence UnverifiableReason = "NO_EVIDENCE"
	// UnverifiableLabelMassBelowFloor: the model put too little probability on
	// YES and NO.
	UnverifiableLabelMassBelowFloor UnverifiableReason = "LABEL_MASS_BELOW_FLOOR"
	// UnverifiableTooLong: it makes a claim of more than
	// [Limits.MaxClaimTokens] tokens.
	UnverifiableTooLong UnverifiableReason = "TOO_LONG"
	// UnverifiableOutOfTime: not read before the call had to be answered.
	UnverifiableOutOfTime UnverifiableReason = "OUT_OF_TIME"
	// UnverifiableBackendFailed: not read before the engine died or hung.
	UnverifiableBackendFailed UnverifiableReason = "BACKEND_FAILED"
	// UnverifiableIntervalTooWide: a backend that samples leaves open on which
	// side of the bar it lies.
	UnverifiableIntervalTooWide UnverifiableReason = "INTERVAL_TOO_WIDE"
	// UnverifiableTooFewSamples: too few samples of a backend were an answer.
	UnverifiableTooFewSamples UnverifiableReason = "TOO_FEW_SAMPLES"
	// UnverifiableVague: it is too vague to be judged.
	UnverifiableVague UnverifiableReason = "VAGUE"
	// UnverifiableToolCall: it is the call of a tool, which asserts nothing; what
	// came back is evidence.
	UnverifiableToolCall UnverifiableReason = "TOOL_CALL"
)

// PostHocStatus says whether an answer follows from the steps. A newer server
// may send others than those named here.
type PostHocStatus string

const (
	// PostHocFollows: the steps lead to this answer.
	PostHocFollows PostHocStatus = "FOLLOWS"
	// PostHocMismatch: they lead to another answer, or to none.
	PostHocMismatch PostHocStatus = "MISMATCH"
	// PostHocNotChecked: nothing is known.
	PostHocNotChecked PostHocStatus = "NOT_CHECKED"
)

// PostHocReason says how a post-hoc status came about. A newer server may send
// others than those named here.
type PostHocReason string

const (
	// PostHocSameAnswer: what was derived from the steps is this answer.
	PostHocSameAnswer PostHocReason = "SAME_ANSWER"
	// PostHocOtherAnswer: what was derived from the steps is another answer.
	PostHocOtherAnswer PostHocReason = "OTHER_ANSWER"
	// PostHocNoAnswerDerived: nothing can be derived from the steps.
	PostHocNoAnswerDerived PostHocReason = "NO_ANSWER_DERIVED"
	// PostHocStepsSupport: read with the steps, the answer is supported.
	PostHocStepsSupport PostHocReason = "STEPS_SUPPORT"
	// PostHocStepsDoNotSupport: read with the steps, it is not.
	PostHocStepsDoNotSupport PostHocReason = "STEPS_DO_NOT_SUPPORT"
	// PostHocOtherConclusion: the steps support it, and the last of them does not
	// by itself.
	PostHocOtherConclusion PostHocReason = "OTHER_CONCLUSION"
	// PostHocNoAnswer: the call had no answer.
	PostHocNoAnswer PostHocReason = "NO_ANSWER"
	// PostHocNotAsked: the check was not asked for.
	PostHocNotAsked PostHocReason = "NOT_ASKED"
	// PostHocUnreadable: the model does not answer YES or NO, or the texts are
	// too long for it.
	PostHocUnreadable PostHocReason = "UNREADABLE"
	// PostHocOutOfTime: not done before the call had to be answered.
	PostHocOutOfTime PostHocReason = "OUT_OF_TIME"
	// PostHocBackendFailed: the engine died or hung.
	PostHocBackendFailed PostHocReason = "BACKEND_FAILED"
)

// PostHocExecutor says who derived an answer from the steps. A newer server may
// send others than those named here.
type PostHocExecutor string

const (
	// PostHocGeneration: the model wrote it, seeing the steps alone, and a
	// tolerant matcher compared the two.
	PostHocGeneration PostHocExecutor = "GENERATION"
	// PostHocRead: the model was asked whether the answer is true, with the
	// steps and without them.
	PostHocRead PostHocExecutor = "READ"
)

// message encodes the trace.
func (t Trace) message() (*pb.AuditTraceRequest, error) {
	w, m := writing{}, &pb.AuditTraceRequest{}
	w.fill(m, t)
	if !t.Evidence.isZero() {
		m.Evidence = t.Evidence.message(&w, "evidence")
	}
	return m, w.done()
}

// message encodes the call, which is in the field.
func (c ChatToolCall) message(w *writing, field string) *pb.ChatToolCall {
	return &pb.ChatToolCall{
		Id:   w.text(c.ID, "%s.id", field),
		Type: "function",
		Function: &pb.ChatFunction{
			Name:      w.text(c.Name, "%s.function.name", field),
			Arguments: w.text(c.Arguments, "%s.function.arguments", field),
		},
	}
}

// newTraceAudit reads the audit of a trace, which has to follow from its steps.
func newTraceAudit(m *pb.AuditTraceResponse, trace Trace) (*TraceAudit, error) {
	steps, answer := trace.Steps, trace.Answer
	if count := len(trace.Messages); count > 0 {
		steps = nil
		for _, step := range m.GetSteps() {
			steps = append(steps, step.GetText())
		}
		if answer == "" {
			answer = trace.Messages[count-1].Content
		}
	}
	if len(m.GetSteps()) != len(steps) {
		return nil, badResponse("%d steps came back for %d", len(m.GetSteps()), len(steps))
	}
	r, audit := &reading{at: "the response"}, &TraceAudit{}
	if m.GetPostHoc() == nil {
		r.breach("post_hoc is missing")
	}
	r.fill(audit, m)
	for i, step := range m.GetSteps() {
		r.at = fmt.Sprintf("step %d", i)
		audit.Steps = append(audit.Steps, r.step(step, steps[i]))
	}
	r.at = "the post-hoc check"
	audit.PostHoc = r.postHoc(m.GetPostHoc(), answer)
	r.at = "the trace"
	r.checkTrace(audit)
	return done(r, audit)
}

// step reads one step.
func (r *reading) step(m *pb.StepAudit, text string) AuditedStep {
	step := AuditedStep{Text: text, Verdict: r.verdict(m.GetVerdict(), m.GetContent())}
	r.fill(&step, m)
	var verdict Verdict
	if step.Verdict != nil {
		verdict = step.Verdict.Verdict
	}
	carried := true
	switch step.Status {
	case StepEntailed:
		carried = verdict == VerdictSupported
	case StepContradicted:
		carried = verdict == VerdictContradicted
	case StepNotInContext:
		carried = verdict != ""
	case StepUnverifiable:
		carried = step.UnverifiableReason != ""
	default:
		return step
	}
	if !carried || step.Status != StepUnverifiable && step.UnverifiableReason != "" {
		r.breach("it is %s with the verdict %q and the reason %q", step.Status, verdict, step.UnverifiableReason)
	}
	return step
}

// verdict reads a verdict that may be missing.
func (r *reading) verdict(m *pb.ClaimVerdict, content string) *VerifiedClaim {
	if m == nil {
		return nil
	}
	claim := r.verified(content, m)
	return &claim
}

// postHoc reads the check of the answer.
func (r *reading) postHoc(m *pb.PostHoc, answer string) PostHoc {
	check := PostHoc{Verdict: r.verdict(m.GetVerdict(), answer)}
	r.fill(&check, m)
	isRead := check.Verdict != nil && check.Verdict.Verdict == VerdictSupported
	if check.Status == PostHocFollows && (check.Executor == "" || !isRead && check.DerivedAnswer == "") {
		r.breach("the answer follows by nobody's check")
	}
	return check
}

// checkTrace notes what the steps of a trace do not add up to.
func (r *reading) checkTrace(audit *TraceAudit) {
	first, entailed, supported, known := -1, false, true, true
	for i, step := range audit.Steps {
		switch step.Status {
		case StepContradicted, StepNotInContext:
			if first < 0 {
				first = i
			}
		case StepEntailed:
			entailed = true
		case StepUnverifiable:
			entailed = entailed || step.UnverifiableReason == UnverifiableToolCall
		default:
			known = false
		}
		supported = supported && step.Supported()
	}
	told := -1
	if audit.FirstUnsupportedStep != nil {
		told = *audit.FirstUnsupportedStep
	}
	if known && told != first {
		r.breach("its first unsupported step is %d, by its steps %d", told, first)
	}
	unwanted := audit.PostHoc.Reason == PostHocNoAnswer || audit.PostHoc.Reason == PostHocNotAsked
	follows := audit.PostHoc.Status == PostHocFollows || unwanted
	if audit.Sound && !(entailed && supported && follows) {
		r.breach("it is called sound, and by its steps and its answer it is not")
	}
}
