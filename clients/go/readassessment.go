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
