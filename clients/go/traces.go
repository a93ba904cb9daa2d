package groundwire

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
