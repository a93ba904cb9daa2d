package groundwire

import (
	"context"
	"fmt"
	"math"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// sharesTolerance is how far the shares of options may be from 1 together, and a
// score from what they make of it.
const sharesTolerance = 1e-6

// DecisionRequest is questions over one state, which they share as their prefix.
type DecisionRequest struct {
	// State is what is asked about; it has at least one visible character.
	State string
	// Questions are 1 to [Limits.MaxClaims].
	Questions []Question
	// Instructions are said of all questions, behind the state. Empty: nothing.
	Instructions string
}

// Question is a [Predicate], a [Choice] or a [Score].
type Question interface {
	message(w *writing, field string) *pb.DecisionQuestion
	// name is the caller's own.
	name() string
	// options are the names of options or levels; nil for a predicate.
	options() []string
}

// Predicate asks whether a statement about the state is true. It is read as
// [Client.Estimate] reads a claim.
type Predicate struct {
	// Name is the caller's own, and is not read. It may be empty.
	Name string
	// Instructions are the statement.
	Instructions string
	// TrueWhen and FalseWhen say what counts as true and as false. Empty: the
	// statement says enough.
	TrueWhen, FalseWhen string
}

// Choice asks for one of some options.
type Choice struct {
	// Name is the caller's own, and is not read. It may be empty.
	Name string
	// Instructions are the question.
	Instructions string
	// Options are 2 to 26, each with another name.
	Options []DecisionOption
	// Labels are what stands for the options. Empty: letters.
	Labels OptionLabels
}

// Score asks for one of some levels.
type Score struct {
	// Name is the caller's own, and is not read. It may be empty.
	Name string
	// Instructions are the question.
	Instructions string
	// Levels are 2 to 10 from the lowest, which counts 0, each with another name.
	Levels []DecisionOption
}

// DecisionOption is an option of a choice, or a level of a score.
type DecisionOption struct {
	// Name has a visible character.
	Name string
	// Description says what it means. Empty: the name says enough.
	Description string
}

// OptionLabels say what stands for the options of a choice, and is read.
type OptionLabels string

const (
	// OptionLabelsLetters are a letter each, from A.
	OptionLabelsLetters OptionLabels = "LETTERS"
	// OptionLabelsNames are the options' names, by the first token of each. Names
	// that share it are refused with [ReasonInvalidQuestion].
	OptionLabelsNames OptionLabels = "NAMES"
)

// Decisions is the answer to [Client.Decide].
type Decisions struct {
	// Answers are one for each question, in their order.
	Answers []Decision
	// CallInfo says what the call cost. Its PromptVersion is empty: kinds of
	// questions have their own.
	CallInfo
}

// Decision is the answer to one question. Exactly one of Predicate and Options is
// set.
type Decision struct {
	// Name is that of the question.
	Name string
	// Predicate is what was read of a predicate; its probability is that of true.
	Predicate *Estimate
	// Options is what was read of a choice or a score.
	Options *OptionsAnswer
}

// OptionsAnswer is what was read for a choice or a score.
type OptionsAnswer struct {
	// OK reports whether there is an answer. If it is false, Reason says why, and
	// nothing was decided.
	OK bool
	// Probabilities are of the options, in their order, and add up to 1. Nil if OK
	// is false.
	Probabilities []float64
	// Choice is the name of the likeliest option. Empty if OK is false.
	Choice string
	// Score is the mean of the levels' numbers, from 0, weighted by their
	// probabilities. NaN for a choice, and if OK is false.
	Score float64
	// Confidence is the probability of the likeliest option over the full
	// vocabulary, in [0, 1].
	Confidence float64
	// LabelMass is what the model put on all options, over the full vocabulary, in
	// [0, 1].
	LabelMass float64
	// Source says where the reading came from.
	Source Source
	// Reason says why there is no answer; empty if there is one.
	Reason NoProbabilityReason
}

// Decide answers questions over one state, each by one read of the next token.
// Where the model puts too little on the labels there is no answer, which is no
// error: look at [Estimate.OK] and [OptionsAnswer.OK]. Errors are of type
// [*Error].
func (c *Client) Decide(ctx context.Context, request DecisionRequest, opts ...CallOption) (*Decisions, error) {
	options := newCallSettings(opts)
	var w writing
	message := &pb.DecideRequest{
		State:           w.text(request.State, "state"),
		Instructions:    w.text(request.Instructions, "instructions"),
		Backend:         w.text(options.backend, "backend"),
		SkipResultCache: options.skipResultCache,
	}
	for i, question := range request.Questions {
		message.Questions = append(message.Questions, question.message(&w, fmt.Sprintf("questions[%d]", i)))
	}
	if err := w.done(); err != nil {
		return nil, err
	}
	return call(ctx, c, c.decisions.Decide, message, func(response *pb.DecideResponse) (*Decisions, error) {
		return newDecisions(response, request.Questions)
	})
}

func (q Predicate) name() string { return q.Name }

func (q Choice) name() string { return q.Name }

func (q Score) name() string { return q.Name }

func (q Predicate) options() []string { return nil }

func (q Choice) options() []string { return optionNames(q.Options) }

func (q Score) options() []string { return optionNames(q.Levels) }

func (q Predicate) message(w *writing, field string) *pb.DecisionQuestion {
	m := questionMessage(w, q.Name, q.Instructions, field)
	m.Question = &pb.DecisionQuestion_Predicate{Predicate: &pb.PredicateQuestion{
		TrueWhen:  w.text(q.TrueWhen, "%s.predicate.true_when", field),
		FalseWhen: w.text(q.FalseWhen, "%s.predicate.false_when", field),
	}}
	return m
}

func (q Choice) message(w *writing, field string) *pb.DecisionQuestion {
	m := questionMessage(w, q.Name, q.Instructions, field)
	m.Question = &pb.DecisionQuestion_Choice{Choice: &pb.ChoiceQuestion{
		Options: optionMessages(w, q.Options, field+".choice.options"),
		Labels: pb.OptionLabels(enumNumber(
			w, pb.OptionLabels_value, "OPTION_LABELS_", q.Labels, "%s.choice.labels", field)),
	}}
	return m
}

func (q Score) message(w *writing, field string) *pb.DecisionQuestion {
	m := questionMessage(w, q.Name, q.Instructions, field)
	m.Question = &pb.DecisionQuestion_Score{Score: &pb.ScoreQuestion{
		Levels: optionMessages(w, q.Levels, field+".score.levels"),
	}}
	return m
}

func questionMessage(w *writing, name, instructions, field string) *pb.DecisionQuestion {
	return &pb.DecisionQuestion{
		Name:         w.text(name, "%s.name", field),
		Instructions: w.text(instructions, "%s.instructions", field),
	}
}

func optionMessages(w *writing, options []DecisionOption, field string) []*pb.DecisionOption {
	messages := make([]*pb.DecisionOption, len(options))
	for i, option := range options {
		messages[i] = &pb.DecisionOption{
			Name:        w.text(option.Name, "%s[%d].name", field, i),
			Description: w.text(option.Description, "%s[%d].description", field, i),
		}
	}
	return messages
}

func optionNames(options []DecisionOption) []string {
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = option.Name
	}
	return names
}

// newDecisions reads the answers to these questions.
func newDecisions(m *pb.DecideResponse, questions []Question) (*Decisions, error) {
	if len(m.GetAnswers()) != len(questions) {
		return nil, badResponse("%d answers to %d questions", len(m.GetAnswers()), len(questions))
	}
	decisions := &Decisions{CallInfo: CallInfo{
		Usage:   newUsage(m.GetUsage()),
		Timing:  newTiming(m.GetTiming()),
		Model:   m.GetModel(),
		Backend: m.GetBackend(),
	}}
	r := &reading{}
	for i, answer := range m.GetAnswers() {
		r.at = fmt.Sprintf("answer %d", i)
		names := questions[i].options()
		decision := Decision{Name: answer.GetName()}
		if decision.Name != questions[i].name() {
			r.breach("its name is not that of its question")
		}
		if names == nil {
			decision.Predicate = r.estimate(answer.GetPredicate(), "the predicate")
		} else if answer.GetOptions() != nil {
			_, scored := questions[i].(Score)
			decision.Options = r.options(answer.GetOptions(), names, scored)
		}
		if decision.Predicate == nil && decision.Options == nil {
			r.breach("it is of another kind than its question")
		}
		decisions.Answers = append(decisions.Answers, decision)
	}
	if r.err != nil {
		return nil, r.err
	}
	return decisions, nil
}

// options reads the shares of options with these names. What follows from them
// has to be what the server says.
func (r *reading) options(m *pb.OptionsAnswer, names []string, scored bool) *OptionsAnswer {
	answer := &OptionsAnswer{
		OK:         len(m.GetProbabilities()) > 0,
		Score:      orNaN(m.Score),
		Confidence: r.number(m.GetConfidence(), 0, 1, "the confidence"),
		LabelMass:  r.number(m.GetLabelMass(), 0, 1, "the label mass"),
		Source:     Source(enumName(m.GetSource().String(), "ESTIMATE_SOURCE_")),
		Reason: NoProbabilityReason(
			enumName(m.GetNoProbabilityReason().String(), "NO_PROBABILITY_REASON_")),
	}
	if !answer.OK {
		if m.Likeliest != nil || m.Score != nil {
			r.breach("there is a choice or a score without probabilities")
		}
		return answer
	}
	if answer.Reason != "" {
		r.breach("there are probabilities and the reason %s for none", answer.Reason)
	}
	likeliest, together, mean := 0, 0.0, 0.0
	for i, share := range m.GetProbabilities() {
		answer.Probabilities = append(answer.Probabilities, r.number(share, 0, 1, "a probability"))
		if share > m.GetProbabilities()[likeliest] {
			likeliest = i
		}
		together += share
		mean += float64(i) * share
	}
	switch {
	case len(answer.Probabilities) != len(names) || !(math.Abs(together-1) <= sharesTolerance):
		r.breach("%d shares add up to %v", len(answer.Probabilities), together)
	case m.Likeliest == nil || int(m.GetLikeliest()) != likeliest:
		r.breach("option %d is not the likeliest by the shares", m.GetLikeliest())
	case scored != (m.Score != nil) || scored && !(math.Abs(answer.Score-mean) <= sharesTolerance):
		r.breach("the score is %v, by the shares %v", answer.Score, mean)
	default:
		answer.Choice = names[likeliest]
	}
	return answer
}
