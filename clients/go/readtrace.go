package groundwire

import (
	"fmt"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
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
