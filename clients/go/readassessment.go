package groundwire

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// assessmentLayers is the order in which servers report them.
var assessmentLayers = []AssessmentLayer{LayerHeuristic, LayerCommonSense, LayerDetailed}

// message encodes the exchange.
func (e Exchange) message() (*pb.AssessResponseRequest, error) {
	var w writing
	m := &pb.AssessResponseRequest{
		Question:        w.text(e.Question, "question"),
		Response:        w.text(e.Response, "response"),
		Language:        w.text(e.Language, "language"),
		Backend:         w.text(e.Backend, "backend"),
		SkipResultCache: e.SkipResultCache,
	}
	for i, layer := range e.Layers {
		number, ok := pb.AssessmentLayer_value["ASSESSMENT_LAYER_"+string(layer)]
		if !ok || number == 0 {
			w.refuse(ReasonInvalidOption, "not a layer that can be asked for", "layers[%d]", i)
		}
		m.Layers = append(m.Layers, pb.AssessmentLayer(number))
	}
	for i, call := range e.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, call.message(&w, fmt.Sprintf("tool_calls[%d]", i)))
	}
	return m, w.done()
}

// message encodes the call, which stands in the field.
func (c ToolCall) message(w *writing, at string) *pb.ToolCall {
	m := &pb.ToolCall{
		Name:      w.text(c.Name, "%s.name", at),
		Arguments: w.text(c.Arguments, "%s.arguments", at),
	}
	if c.Result != nil && c.Error != nil {
		w.refuse(ReasonInvalidToolCall, "has a result and an error; set one of them", "%s", at)
	}
	if c.Result != nil {
		m.Outcome = &pb.ToolCall_Result{Result: w.text(*c.Result, "%s.result", at)}
	} else if c.Error != nil {
		m.Outcome = &pb.ToolCall_Error{Error: w.text(*c.Error, "%s.error", at)}
	}
	if c.Duration != nil {
		m.Duration = durationpb.New(*c.Duration)
	}
	return m
}

// newResponseAssessment reads an assessment, which has to follow from its layers.
func newResponseAssessment(m *pb.AssessResponseResponse, response string) (*ResponseAssessment, error) {
	r := &reading{at: "the response"}
	if m.GetRun() == nil || m.GetUserText() == nil {
		r.breach("its run or its user text is missing")
	}
	found := &ResponseAssessment{
		IsLikelyHallucination: m.GetIsLikelyHallucination(),
		Confidence:            r.optional(m.Confidence, 0, 1, "the confidence"),
		SuggestedAction:       SuggestedAction(r.always(m.GetSuggestedAction(), "SUGGESTED_ACTION_", "the action")),
		UserText: UserText{
			Badge: m.GetUserText().GetBadge(), Text: m.GetUserText().GetText(),
			HidesResponse: m.GetUserText().GetHidesResponse(),
		},
		Language: m.GetLanguage(),
	}
	for i, reason := range m.GetReasons() {
		r.at = fmt.Sprintf("reason %d", i)
		found.Reasons = append(found.Reasons, AssessmentReason{
			Layer: AssessmentLayer(r.always(reason.GetLayer(), "ASSESSMENT_LAYER_", "the layer")),
			Kind:  AssessmentReasonKind(r.always(reason.GetKind(), "ASSESSMENT_REASON_KIND_", "the kind")),
			Text:  reason.GetText(),
		})
	}
	for i, layer := range m.GetLayers() {
		r.at = fmt.Sprintf("layer %d", i)
		found.Layers = append(found.Layers, r.layer(layer))
	}
	r.at = "the common sense"
	found.CommonSense = r.commonSense(m.GetCommonSense())
	characters := utf8.RuneCountInString(response)
	for i, claim := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		found.Claims = append(found.Claims, r.inAnswer(r.claim(claim.GetClaim(), characters), claim.GetVerdict(), characters))
	}
	r.at = "the run"
	found.Run = r.run(m.GetRun())
	r.at = "the assessment"
	r.checkAssessment(found)
	if r.err != nil {
		return nil, r.err
	}
	return found, nil
}

// layer reads one layer.
func (r *reading) layer(m *pb.LayerReport) LayerReport {
	layer := LayerReport{
		Layer:         AssessmentLayer(r.always(m.GetLayer(), "ASSESSMENT_LAYER_", "the layer")),
		State:         LayerState(r.always(m.GetState(), "LAYER_STATE_", "the state")),
		Reason:        LayerReason(enumName(m.GetReason().String(), "LAYER_REASON_")),
		Score:         r.optional(m.Score, 0, 1, "the score"),
		Duration:      m.GetDuration().AsDuration(),
		CutCharacters: int(m.GetCutCharacters()),
	}
	switch layer.State {
	case LayerRan, LayerSkipped, LayerFailed:
		ran := layer.State == LayerRan
		if ran != (layer.Score != nil) || ran != (layer.Reason == "") {
			r.breach("it is %s with the reason %q", layer.State, layer.Reason)
		}
	}
	return layer
}

// commonSense reads what the second layer found, which may be missing.
func (r *reading) commonSense(m *pb.CommonSenseReport) *CommonSenseReport {
	if m == nil {
		return nil
	}
	report := &CommonSenseReport{
		MakesLogicalSense: m.MakesLogicalSense,
		HasContradictions: m.HasContradictions,
		Verdict:           CommonSenseVerdict(r.always(m.GetVerdict(), "COMMON_SENSE_VERDICT_", "the verdict")),
	}
	for _, concern := range m.GetConcerns() {
		kind := r.always(concern, "ASSESSMENT_REASON_KIND_", "a concern")
		report.Concerns = append(report.Concerns, AssessmentReasonKind(kind))
	}
	for _, answer := range m.GetAnswers() {
		report.Answers = append(report.Answers, CommonSenseAnswer{
			Question: answer.GetQuestion(),
			Kind:     AssessmentReasonKind(r.always(answer.GetKind(), "ASSESSMENT_REASON_KIND_", "the kind")),
			Answered: answer.GetAnswered(),
			Shares:   r.stance(answer.GetShares()),
			Concern:  r.number(answer.GetConcern(), 0, 1, "the concern"),
		})
	}
	return report
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
	}
	if found.SuggestedAction == ActionNone && (unsure || found.IsLikelyHallucination) {
		r.breach("it is called fine, and by its layers it is not")
	}
	if found.UserText.HidesResponse != (found.SuggestedAction == ActionBlock) {
		r.breach("its user text is for another action than %s", found.SuggestedAction)
	}
}
