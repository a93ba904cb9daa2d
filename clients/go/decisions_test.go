package groundwire_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedDecisions is the part of the scripted server that decides.
type scriptedDecisions struct {
	pb.UnimplementedDecisionsServer
	decide func(context.Context, *pb.DecideRequest) (*pb.DecideResponse, error)
}

func (s *scriptedDecisions) Decide(ctx context.Context, r *pb.DecideRequest) (*pb.DecideResponse, error) {
	return s.decide(ctx, r)
}

// questioned is a server that gives this response to every call, and keeps the request.
func questioned(response *pb.DecideResponse, sent **pb.DecideRequest) *scripted {
	return &scripted{decisions: scriptedDecisions{
		decide: func(_ context.Context, r *pb.DecideRequest) (*pb.DecideResponse, error) {
			if sent != nil {
				*sent = r
			}
			return response, nil
		},
	}}
}

var complaint = groundwire.DecisionRequest{
	State: "I was charged twice.", Instructions: "Be strict.",
	Questions: []groundwire.Question{
		groundwire.Predicate{Name: "twice", Instructions: "It was twice.", TrueWhen: "two", FalseWhen: "one"},
		groundwire.Choice{
			Instructions: "What about?", Labels: groundwire.OptionLabelsNames,
			Options: []groundwire.DecisionOption{{Name: "billing"}, {Name: "delivery", Description: "late"}},
		},
		groundwire.Score{
			Instructions: "How urgent?",
			Levels:       []groundwire.DecisionOption{{Name: "low"}, {Name: "high"}},
		},
	},
}

// decided is an answer to the complaint.
func decided() *pb.DecideResponse {
	return &pb.DecideResponse{
		Answers: []*pb.DecisionAnswer{
			{Name: "twice", Answer: &pb.DecisionAnswer_Predicate{Predicate: &pb.Estimate{
				Probability: new(0.75), RawProbability: new(0.75), LabelMass: 0.9,
				Source: pb.EstimateSource_ESTIMATE_SOURCE_MODEL,
			}}},
			{Answer: &pb.DecisionAnswer_Options{Options: &pb.OptionsAnswer{
				Probabilities: []float64{0.25, 0.75}, Likeliest: new(int32(1)),
				Confidence: 0.6, LabelMass: 0.8, Source: pb.EstimateSource_ESTIMATE_SOURCE_CACHE,
			}}},
			{Answer: &pb.DecisionAnswer_Options{Options: &pb.OptionsAnswer{
				Probabilities: []float64{0.5, 0.5}, Likeliest: new(int32(0)), Score: new(0.5),
				Confidence: 0.4, LabelMass: 0.8, Source: pb.EstimateSource_ESTIMATE_SOURCE_MODEL,
			}}},
		},
		Usage: &pb.Usage{DistinctPrompts: 3}, Model: "tiny", Backend: "main",
	}
}

func TestDecideReturnsAnAnswerForEachQuestion(t *testing.T) {
	var sent *pb.DecideRequest
	client := connect(t, questioned(decided(), &sent))
	got, err := client.Decide(t.Context(), complaint, groundwire.WithBackend("main"))
	if err != nil {
		t.Fatal(err)
	}
	want := &pb.DecideRequest{
		State: complaint.State, Instructions: complaint.Instructions, Backend: "main",
		Questions: []*pb.DecisionQuestion{
			{Name: "twice", Instructions: "It was twice.", Question: &pb.DecisionQuestion_Predicate{
				Predicate: &pb.PredicateQuestion{TrueWhen: "two", FalseWhen: "one"}}},
			{Instructions: "What about?", Question: &pb.DecisionQuestion_Choice{Choice: &pb.ChoiceQuestion{
				Labels:  pb.OptionLabels_OPTION_LABELS_NAMES,
				Options: []*pb.DecisionOption{{Name: "billing"}, {Name: "delivery", Description: "late"}}}}},
			{Instructions: "How urgent?", Question: &pb.DecisionQuestion_Score{Score: &pb.ScoreQuestion{
				Levels: []*pb.DecisionOption{{Name: "low"}, {Name: "high"}}}}},
		},
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v, not %v", sent, want)
	}
	predicate, choice, score := got.Answers[0], got.Answers[1].Options, got.Answers[2].Options
	if predicate.Name != "twice" || !predicate.Predicate.OK || predicate.Predicate.Probability != 0.75 {
		t.Errorf("got %+v", predicate)
	}
	if !choice.OK || choice.Choice != "delivery" || !math.IsNaN(choice.Score) || choice.Confidence != 0.6 {
		t.Errorf("got %+v", choice)
	}
	if score.Choice != "low" || score.Score != 0.5 || got.Usage.DistinctPrompts != 3 || got.Model != "tiny" {
		t.Errorf("got %+v", got)
	}
}

func TestADecisionWithoutAnAnswerIsNoError(t *testing.T) {
	response := decided()
	response.Answers[1].GetOptions().Reset()
	options := response.Answers[1].GetOptions()
	options.LabelMass = 0.08
	options.NoProbabilityReason = pb.NoProbabilityReason_NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
	got, err := connect(t, questioned(response, nil)).Decide(t.Context(), complaint)
	if err != nil {
		t.Fatal(err)
	}
	refused := got.Answers[1].Options
	if refused.OK || refused.Choice != "" || refused.Probabilities != nil || refused.LabelMass != 0.08 ||
		refused.Reason != groundwire.LabelMassBelowFloor {
		t.Errorf("got %+v", refused)
	}
}

func TestDecisionsThatBreakTheContractAreAnInternalError(t *testing.T) {
	options := func(m *pb.DecideResponse, i int) *pb.OptionsAnswer { return m.Answers[i].GetOptions() }
	cases := map[string]struct {
		words  string
		change func(*pb.DecideResponse)
	}{
		"an answer too few":        {"2 answers to 3", func(m *pb.DecideResponse) { m.Answers = m.Answers[:2] }},
		"a predicate for a choice": {"another kind", func(m *pb.DecideResponse) { m.Answers[1].Answer = m.Answers[0].Answer }},
		"a choice for a predicate": {"another kind", func(m *pb.DecideResponse) { m.Answers[0].Answer = m.Answers[1].Answer }},
		"another name":             {"its name", func(m *pb.DecideResponse) { m.Answers[0].Name = "once" }},
		"shares beyond 1":          {"add up to 1.25", func(m *pb.DecideResponse) { options(m, 1).Probabilities[0] = 0.5 }},
		"a share too few":          {"1 shares", func(m *pb.DecideResponse) { options(m, 1).Probabilities = []float64{1} }},
		"another likeliest":        {"not the likeliest", func(m *pb.DecideResponse) { options(m, 1).Likeliest = new(int32(0)) }},
		"no likeliest":             {"not the likeliest", func(m *pb.DecideResponse) { options(m, 1).Likeliest = nil }},
		"another score":            {"the score is 0.9", func(m *pb.DecideResponse) { options(m, 2).Score = new(0.9) }},
		"no score":                 {"the score is NaN", func(m *pb.DecideResponse) { options(m, 2).Score = nil }},
		"the score of a choice":    {"the score is", func(m *pb.DecideResponse) { options(m, 1).Score = new(0.75) }},
		"a mass above 1":           {"the label mass", func(m *pb.DecideResponse) { options(m, 1).LabelMass = 1.5 }},
		"a choice without shares":  {"without probabilities", func(m *pb.DecideResponse) { options(m, 1).Probabilities = nil }},
		"shares and why none":      {"for none", func(m *pb.DecideResponse) { options(m, 1).NoProbabilityReason = 1 }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := connect(t, questioned(edit(decided(), c.change), nil)).Decide(t.Context(), complaint)
			mustBreach(t, err, c.words)
		})
	}
}

func TestAQuestionThatIsNotUTF8IsRefusedWithItsField(t *testing.T) {
	client := connect(t, questioned(decided(), nil))
	request := groundwire.DecisionRequest{State: "a", Questions: []groundwire.Question{
		groundwire.Choice{Options: []groundwire.DecisionOption{{Name: "a"}, {Name: "\xff"}}},
	}}
	_, err := client.Decide(t.Context(), request)
	var refused *groundwire.Error
	if !errors.As(err, &refused) || len(refused.Violations) != 1 ||
		refused.Violations[0].Field != "questions[0].choice.options[1].name" {
		t.Errorf("got %v", err)
	}
}
