package groundwire

import (
	"time"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Exchange is a response to assess, with what it answers and the tool calls that
// were made for it.
type Exchange struct {
	// Question is what the user asked. Empty: not known.
	Question string
	// Response is the response: at least one visible character.
	Response string
	// ToolCalls are the calls that were made, in their order.
	ToolCalls []ToolCall
	// Layers are the layers to ask. Empty: all. [LayerHeuristic] alone needs no
	// model.
	Layers []AssessmentLayer
	// Language is that of reasons and user text, "en" or "he". Empty: that of the
	// response.
	Language string
	// Backend reads. Empty: as the server is set.
	Backend string
	// SkipResultCache has all read anew, and nothing remembered.
	SkipResultCache bool
}

// ToolCall is a call of a tool. It ended with a result or with an error, so one
// of the two is set.
type ToolCall struct {
	// Name is the tool's name.
	Name string
	// Arguments are its arguments as JSON text. Empty: none.
	Arguments string
	// Result is what it returned: text, or JSON as text. Empty: it returned
	// nothing. Nil: it failed.
	Result *string
	// Error is what it failed with. Nil: it did not.
	Error *string
	// Duration is how long it took. Nil: not known.
	Duration *time.Duration
}

// ResponseAssessment is the answer to [Client.AssessResponse].
type ResponseAssessment struct {
	// IsLikelyHallucination reports whether the confidence is at least the
	// server's threshold for a warning.
	IsLikelyHallucination bool
	// Confidence is the weighted mean of the layers' scores, in [0, 1]. Nil: no
	// layer ran.
	Confidence *float64 `pb:",share"`
	// SuggestedAction is what to do with the response.
	SuggestedAction SuggestedAction `pb:",set"`
	// Reasons say why, in the order of the layers.
	Reasons []AssessmentReason
	// Layers has all three layers, whether they ran or not.
	Layers []LayerReport
	// CommonSense is what the second layer found. Nil: it did not run.
	CommonSense *CommonSenseReport
	// Claims are those that the third layer verified.
	Claims []AnswerClaim `pb:"-"`
	// UserText is what a user can be shown.
	UserText UserText `pb:",set"`
	// Language is that of reasons and user text.
	Language string
	// Run says what was done and what it cost.
	Run Run `pb:",set"`
}

// AssessmentReason is one thing that a layer found.
type AssessmentReason struct {
	// Layer is the layer.
	Layer AssessmentLayer `pb:",set"`
	// Kind is what it found.
	Kind AssessmentReasonKind `pb:",set"`
	// Text is the same in words, behind the layer in brackets.
	Text string
}

// LayerReport is one layer.
type LayerReport struct {
	// Layer is the layer.
	Layer AssessmentLayer `pb:",set"`
	// State says whether it ran.
	State LayerState `pb:",set"`
	// Reason says why not. Empty: it ran.
	Reason LayerReason
	// Score says how sure it is that the response is made up, in [0, 1]. Nil: it
	// did not run.
	Score *float64 `pb:",share"`
	// Duration is how long it took.
	Duration time.Duration
	// CutCharacters are those of the tools' results that it left out.
	CutCharacters int
}

// CommonSenseReport is what the model answered about an exchange.
type CommonSenseReport struct {
	// MakesLogicalSense reports whether the response makes sense. Nil: not
	// answered.
	MakesLogicalSense *bool
	// HasContradictions reports whether it contradicts itself. Nil: not answered.
	HasContradictions *bool
	// Verdict is the sum.
	Verdict CommonSenseVerdict `pb:",set"`
	// Concerns are the questions that are one, or were not answered.
	Concerns []AssessmentReasonKind `pb:",set"`
	// Answers are all five.
	Answers []CommonSenseAnswer
}

// CommonSenseAnswer is one question with its reading.
type CommonSenseAnswer struct {
	// Question is the question, in English.
	Question string
	// Kind is what it is a concern of.
	Kind AssessmentReasonKind `pb:",set"`
	// Answered reports whether the model answered it.
	Answered bool
	// Shares are the model's choice among YES, NO and UNSURE. Nil: no mass at all.
	Shares *Stance
	// Concern says how much of a concern the answer is, in [0, 1]; 0.5 where there
	// is none.
	Concern float64 `pb:",share"`
}

// UserText is what a user can be shown beside a response, or in its place.
type UserText struct {
	// Badge is a few words. Empty with [ActionNone].
	Badge string
	// Text is a sentence, and with [ActionWarn] the reasons. Empty with
	// [ActionNone].
	Text string
	// HidesResponse reports whether the text is shown in place of the response.
	HidesResponse bool
}

// AssessmentLayer is one of the three looks at a response. A newer server may
// send others than those named here, as for all names below.
type AssessmentLayer string

const (
	// LayerHeuristic: patterns, and values compared with the tools' results.
	LayerHeuristic AssessmentLayer = "HEURISTIC"
	// LayerCommonSense: five questions, read on the model.
	LayerCommonSense AssessmentLayer = "COMMON_SENSE"
	// LayerDetailed: the claims, verified with the tools' results as evidence.
	LayerDetailed AssessmentLayer = "DETAILED"
)

// LayerState says whether a layer ran.
type LayerState string

const (
	// LayerRan: it ran, and has a score.
	LayerRan LayerState = "RAN"
	// LayerSkipped: it was not needed or not asked for.
	LayerSkipped LayerState = "SKIPPED"
	// LayerFailed: it could not tell.
	LayerFailed LayerState = "FAILED"
)

// LayerReason says why a layer has no score.
type LayerReason string

const (
	// LayerNotAsked: the call asked for other layers.
	LayerNotAsked LayerReason = "NOT_ASKED"
	// LayerNotFlagged: the other layers found too little.
	LayerNotFlagged LayerReason = "NOT_FLAGGED"
	// LayerNoToolResult: no tool returned anything. Older servers only.
	LayerNoToolResult LayerReason = "NO_TOOL_RESULT"
	// LayerNoClaim: the response makes no claim that could be verified.
	LayerNoClaim LayerReason = "NO_CLAIM"
	// LayerBackendUnavailable: the backend loads, is dead, or cannot be reached.
	LayerBackendUnavailable LayerReason = "BACKEND_UNAVAILABLE"
	// LayerOutOfTime: nothing was read before the call had to be answered.
	LayerOutOfTime LayerReason = "OUT_OF_TIME"
	// LayerNotAnswered: the model answered none of its questions.
	LayerNotAnswered LayerReason = "NOT_ANSWERED"
	// LayerTooLong: the text is too long for the model, or to be split.
	LayerTooLong LayerReason = "TOO_LONG"
	// LayerBusy: the server had no place left.
	LayerBusy LayerReason = "BUSY"
)

// SuggestedAction says what to do with a response.
type SuggestedAction string

const (
	// ActionNone: show it.
	ActionNone SuggestedAction = "NONE"
	// ActionVerify: have it checked.
	ActionVerify SuggestedAction = "VERIFY"
	// ActionWarn: show it with a warning.
	ActionWarn SuggestedAction = "WARN"
	// ActionBlock: hide it.
	ActionBlock SuggestedAction = "BLOCK"
)

// AssessmentReasonKind is what a layer found.
type AssessmentReasonKind string

const (
	// FoundLiveData: live data that no tool gave.
	FoundLiveData AssessmentReasonKind = "LIVE_DATA"
	// FoundCurrency: an amount of money that no tool gave.
	FoundCurrency AssessmentReasonKind = "CURRENCY"
	// FoundNumber: another number that no tool gave.
	FoundNumber AssessmentReasonKind = "NUMBER"
	// FoundValueDiffers: a value that a tool gave otherwise.
	FoundValueDiffers AssessmentReasonKind = "VALUE_DIFFERS"
	// FoundOverPrecise: more digits than anybody gave or could know.
	FoundOverPrecise AssessmentReasonKind = "OVER_PRECISE"
	// FoundUncertain: words such as "I think".
	FoundUncertain AssessmentReasonKind = "UNCERTAIN"
	// FoundMakesNoSense: it does not make sense.
	FoundMakesNoSense AssessmentReasonKind = "MAKES_NO_SENSE"
	// FoundContradictsItself: it contradicts itself.
	FoundContradictsItself AssessmentReasonKind = "CONTRADICTS_ITSELF"
	// FoundLiveDataWithoutCall: it states live data that no tool call gave.
	FoundLiveDataWithoutCall AssessmentReasonKind = "LIVE_DATA_WITHOUT_CALL"
	// FoundVagueAsFact: it states something vague as if it were a fact.
	FoundVagueAsFact AssessmentReasonKind = "VAGUE_AS_FACT"
	// FoundFabricated: something in it is made up.
	FoundFabricated AssessmentReasonKind = "FABRICATED"
	// FoundNotAnswered: the model did not answer one of the questions.
	FoundNotAnswered AssessmentReasonKind = "NOT_ANSWERED"
	// FoundClaimContradicted: the tools' results say otherwise than a claim.
	FoundClaimContradicted AssessmentReasonKind = "CLAIM_CONTRADICTED"
	// FoundClaimUnsupported: no tool result supports a claim.
	FoundClaimUnsupported AssessmentReasonKind = "CLAIM_UNSUPPORTED"
	// FoundClaimUnread: a claim could not be read.
	FoundClaimUnread AssessmentReasonKind = "CLAIM_UNREAD"
	// FoundClaimAgainstTheRest: the question or another claim of the response
	// speaks against a claim.
	FoundClaimAgainstTheRest AssessmentReasonKind = "CLAIM_AGAINST_THE_REST"
)

// CommonSenseVerdict sums up the five answers.
type CommonSenseVerdict string

const (
	// SenseOK: all were answered, and none is a concern.
	SenseOK CommonSenseVerdict = "OK"
	// SenseQuestionable: one is a concern, or was not answered.
	SenseQuestionable CommonSenseVerdict = "QUESTIONABLE"
	// SenseLikelyFabricated: the model takes something for made up.
	SenseLikelyFabricated CommonSenseVerdict = "LIKELY_FABRICATED"
)

// assessmentLayers is the order in which servers report them.
var assessmentLayers = []AssessmentLayer{LayerHeuristic, LayerCommonSense, LayerDetailed}

// message encodes the exchange.
func (e Exchange) message() (*pb.AssessResponseRequest, error) {
	w, m := writing{}, &pb.AssessResponseRequest{}
	w.fill(m, e)
	for i, call := range e.ToolCalls {
		if call.Result != nil && call.Error != nil {
			w.refuse(ReasonInvalidToolCall, "has a result and an error; set one of them", "tool_calls[%d]", i)
		}
	}
	for i, layer := range e.Layers {
		if layer == "" {
			w.refuse(ReasonInvalidOption, "not a layer that can be asked for", "layers[%d]", i)
		}
	}
	return m, w.done()
}

// newResponseAssessment reads an assessment, which has to follow from its layers.
func newResponseAssessment(m *pb.AssessResponseResponse, response string) (*ResponseAssessment, error) {
	r, found := &reading{at: "the response"}, &ResponseAssessment{}
	r.fill(found, m)
	r.characters = utf8.RuneCountInString(response)
	found.Claims = r.answerClaims(m.GetClaims())
	r.at = "the assessment"
	r.checkAssessment(found)
	return done(r, found)
}

// checkAssessment notes what the layers of an assessment do not add up to.
func (r *reading) checkAssessment(found *ResponseAssessment) {
	unsure := found.Confidence == nil
	for i, layer := range assessmentLayers {
		if i >= len(found.Layers) || found.Layers[i].Layer != layer {
			r.breach("its layers are not all there, in their order")
			return
		}
	}
	for _, layer := range found.Layers {
		unsure = unsure || layer.State == LayerFailed
		switch ran := layer.State == LayerRan; layer.State {
		case LayerRan, LayerSkipped, LayerFailed:
			if ran != (layer.Score != nil) || ran != (layer.Reason == "") {
				r.breach("%s is %s with the reason %q", layer.Layer, layer.State, layer.Reason)
			}
		}
	}
	if found.SuggestedAction == ActionNone && (unsure || found.IsLikelyHallucination) {
		r.breach("it is called fine, and by its layers it is not")
	}
	if found.UserText.HidesResponse != (found.SuggestedAction == ActionBlock) {
		r.breach("its user text is for another action than %s", found.SuggestedAction)
	}
}
