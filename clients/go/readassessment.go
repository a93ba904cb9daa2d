package groundwire

import (
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
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
