package groundwire

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Estimate is what was read for one claim.
type Estimate struct {
	// Probability is P(YES) / (P(YES) + P(NO)), in [0, 1], calibrated if
	// Calibrated is true; NaN if OK is false.
	Probability float64 `pb:"-"`
	// OK reports whether there is a probability. If it is false, the claim is
	// neither supported nor unsupported, and Reason says why.
	OK bool `pb:"-"`
	// LabelMass is P(YES) + P(NO), in [0, 1]: the share of the next-token
	// probability that fell on any form of either label.
	LabelMass float64
	// YesLogProbability is ln P(YES), in nats, at most 0; NaN for sources that
	// have no log-probabilities.
	YesLogProbability float64 `pb:"-"`
	// NoLogProbability is ln P(NO), in nats, at most 0; NaN as
	// YesLogProbability.
	NoLogProbability float64 `pb:"-"`
	// Source says where the reading came from.
	Source Source
	// Reason says why there is no probability; empty if there is one.
	Reason NoProbabilityReason `pb:"no_probability_reason"`
	// RawProbability is P(YES) / (P(YES) + P(NO)) as it was read, in [0, 1],
	// before calibration: Probability unless Calibrated is true; NaN if OK is
	// false.
	RawProbability float64 `pb:"-"`
	// Calibrated reports whether Probability went through
	// [ServerInfo.Calibration].
	Calibrated bool
	// Chunk is the chunk of the context that this is the reading of. Nil: the
	// context was read whole.
	Chunk *Chunk
	// MinProbability and MaxProbability are the least and the most that
	// Probability can be, where an endpoint did not tell enough to read it
	// exactly, or answers were sampled. Nil: it was read exactly, or OK is false.
	MinProbability, MaxProbability *float64
	// MaxLabelMass is the most that the label mass can be, of which LabelMass is
	// the least then. Nil: it was read exactly.
	MaxLabelMass *float64
	// Samples counts the sampled answers behind Probability. 0: none were sampled.
	Samples int
}

// Chunk is a part of a context that was too long to be read whole: number Index
// of Count, from character Start to before End of the context, or of all
// documents as the server joined them.
type Chunk struct {
	Index, Count, Start, End int
}

// Source says where a reading came from. A newer server may send others than
// those named here.
type Source string

const (
	// SourceModel: read from the model's logits for this call.
	SourceModel Source = "MODEL"
	// SourceCache: taken from a cache of earlier readings.
	SourceCache Source = "CACHE"
	// SourceSampling: counted over sampled answers.
	SourceSampling Source = "SAMPLING"
)

// NoProbabilityReason says why an estimate has no probability. A newer server
// may send others than those named here.
type NoProbabilityReason string

const (
	// LabelMassBelowFloor: the label mass is below [ServerInfo.LabelMassFloor].
	LabelMassBelowFloor NoProbabilityReason = "LABEL_MASS_BELOW_FLOOR"
	// TooFewSamples: too few sampled answers came back from an endpoint.
	TooFewSamples NoProbabilityReason = "TOO_FEW_SAMPLES"
)

// CallInfo is what is known about a call as a whole.
type CallInfo struct {
	// Usage is what the call cost in tokens.
	Usage Usage
	// Timing is where the server's time went.
	Timing Timing
	// Model is the name of the model that answered.
	Model string
	// PromptVersion is the version of the prompt that asked, such as "yes-no/1".
	PromptVersion string
	// Backend is the name of the backend that answered.
	Backend string
}

// Estimation is the answer to [Client.Estimate].
type Estimation struct {
	Estimate
	CallInfo
}

// BatchEstimation is the answer to [Client.Estimates].
type BatchEstimation struct {
	// Estimates has one estimate for each claim, in the order of the claims.
	Estimates []Estimate
	CallInfo
}

// Usage counts the tokens of a call.
type Usage struct {
	// PromptTokens are the tokens of all distinct prompts, before any sharing.
	PromptTokens int64
	// CachedTokens are those of PromptTokens that were in the prefix cache
	// already; 0 to PromptTokens.
	CachedTokens int64
	// ContextTokens are the tokens of the evidence, counted once.
	ContextTokens int64
	// DistinctPrompts are the prompts that were read; equal claims share one.
	DistinctPrompts int64
}

// Timing says where the server's time went. The network's time is not in it.
type Timing struct {
	// Queue is the time from the call's admission until the engine first ran
	// one of its prompts.
	Queue time.Duration `pb:"queue_duration"`
	// Inference is the time from then until the last prompt was read.
	Inference time.Duration `pb:"inference_duration"`
	// Total is the whole time in the server, tokenisation included.
	Total time.Duration `pb:"total_duration"`
}

// newEstimate reads one estimate. An answer that is against the contract is an
// error, since a probability must never be made up.
func newEstimate(m *pb.Estimate, name string) (Estimate, error) {
	if m == nil {
		return Estimate{}, badResponse("%s is missing", name)
	}
	raw := m.RawProbability
	if raw == nil && !m.GetCalibrated() {
		raw = m.Probability // An older server sends what it read, and that alone.
	}
	r := reading{at: name}
	e := Estimate{
		Probability:       orNaN(m.Probability),
		OK:                m.Probability != nil,
		YesLogProbability: orNaN(m.YesLogProbability),
		NoLogProbability:  orNaN(m.NoLogProbability),
		RawProbability:    orNaN(raw),
	}
	r.fill(&e, m)
	switch {
	case e.OK != (raw != nil):
		return Estimate{}, badResponse("%s has only one of a probability and a raw one", name)
	case e.OK && e.Reason != "":
		return Estimate{}, badResponse("%s has a probability and a reason for none", name)
	case e.OK && !isShare(e.Probability):
		return Estimate{}, badResponse("%s has the probability %v", name, e.Probability)
	case e.OK && !isShare(e.RawProbability):
		return Estimate{}, badResponse("%s has the raw probability %v", name, e.RawProbability)
	case e.OK && !e.Calibrated && e.RawProbability != e.Probability:
		return Estimate{}, badResponse(
			"%s has %v made of %v without a calibration", name, e.Probability, e.RawProbability)
	case e.Chunk != nil && (e.Chunk.Index < 0 || e.Chunk.Index >= e.Chunk.Count || e.Chunk.Start < 0 || e.Chunk.Start > e.Chunk.End):
		return Estimate{}, badResponse("%s is of the chunk %+v", name, *e.Chunk)
	case !e.isInItsRange():
		return Estimate{}, badResponse("%s has a range that its probability is not in", name)
	}
	return e, r.err
}

// isShare reports whether the value is in [0, 1]; NaN is not.
func isShare(value float64) bool {
	return value >= 0 && value <= 1
}

// newEstimates reads the estimates of a batch. Any other number than that of
// the claims would attach probabilities to the wrong claims.
func newEstimates(messages []*pb.Estimate, claims int) ([]Estimate, error) {
	if len(messages) != claims {
		return nil, badResponse("%d estimates for %d claims", len(messages), claims)
	}
	estimates := make([]Estimate, claims)
	for i, m := range messages {
		estimate, err := newEstimate(m, fmt.Sprintf("estimate %d", i))
		if err != nil {
			return nil, err
		}
		estimates[i] = estimate
	}
	return estimates, nil
}

// newCallInfo reads what a response says about the call.
func newCallInfo(m proto.Message) (CallInfo, error) {
	r := reading{at: "the response"}
	var info CallInfo
	r.fill(&info, m)
	return info, r.err
}

// orNaN returns the value, or NaN for an unset one.
func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}

// isInItsRange reports whether the probability lies where the server says that
// it does, if it says so.
func (e *Estimate) isInItsRange() bool {
	if e.MinProbability == nil && e.MaxProbability == nil {
		return true
	}
	if !e.OK || e.MinProbability == nil || e.MaxProbability == nil {
		return false
	}
	low, high := *e.MinProbability, *e.MaxProbability
	return 0 <= low && low <= e.Probability && e.Probability <= high && high <= 1
}
