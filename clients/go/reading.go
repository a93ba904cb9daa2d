package groundwire

import (
	"fmt"
	"math"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// reading decodes a response and keeps the first thing in it that is against
// the contract. An answer that has one is never passed on.
type reading struct {
	// at says which part of the response is being read, such as "claim 3".
	at  string
	err error
}

// breach notes what is against the contract.
func (r *reading) breach(format string, args ...any) {
	if r.err == nil {
		r.err = badResponse("%s: %s", r.at, fmt.Sprintf(format, args...))
	}
}

// number returns a number that has to be in the range. NaN is in none.
func (r *reading) number(value, low, high float64, name string) float64 {
	if !(value >= low && value <= high) {
		r.breach("%s is %v", name, value)
	}
	return value
}

// optional returns a number that has to be in the range if it is set.
func (r *reading) optional(value *float64, low, high float64, name string) *float64 {
	if value != nil {
		r.number(*value, low, high, name)
	}
	return value
}

// required returns a number that has to be set and in the range.
func (r *reading) required(value *float64, low, high float64, name string) *float64 {
	if value == nil {
		r.breach("%s is missing", name)
	}
	return r.optional(value, low, high, name)
}

// finite returns a number that has to be finite.
func (r *reading) finite(value float64, name string) float64 {
	return r.number(value, -math.MaxFloat64, math.MaxFloat64, name)
}

// always returns the name of an enum's value, which has to be set.
func (r *reading) always(number fmt.Stringer, prefix, name string) string {
	short := enumName(number.String(), prefix)
	if short == "" {
		r.breach("%s is missing", name)
	}
	return short
}

// estimate reads an estimate that may be missing.
func (r *reading) estimate(m *pb.Estimate, name string) *Estimate {
	if m == nil {
		return nil
	}
	estimate, err := newEstimate(m, r.at+": "+name)
	if r.err == nil {
		r.err = err
	}
	return &estimate
}

// span reads a span of a text of so many characters.
func (r *reading) span(m *pb.Span, characters int, name string) Span {
	span := Span{Start: int(m.GetStart()), End: int(m.GetEnd())}
	if m == nil || span.Start < 0 || span.End <= span.Start || span.End > characters {
		r.breach("%s is %d to %d of %d characters", name, span.Start, span.End, characters)
	}
	return span
}

// claim reads a claim of a text of so many characters.
func (r *reading) claim(m *pb.Claim, characters int) Claim {
	if m.GetContent() == "" {
		r.breach("there is no claim")
	}
	claim := Claim{
		Content:            m.GetContent(),
		Span:               r.span(m.GetSpan(), characters, "its span"),
		ConfidenceSource:   ConfidenceSource(enumName(m.GetConfidenceSource().String(), "CONFIDENCE_SOURCE_")),
		NonAssertiveReason: NonAssertiveReason(enumName(m.GetNonAssertiveReason().String(), "NON_ASSERTIVE_REASON_")),
		Language:           m.GetLanguage(),
	}
	if m != nil {
		claim.Confidence = r.optional(m.Confidence, 0, 1, "its confidence")
	}
	if (claim.Confidence == nil) != (claim.ConfidenceSource == "") {
		r.breach("its confidence and where it was found are not there together")
	}
	for _, citation := range m.GetCitations() {
		claim.Citations = append(claim.Citations, Citation{
			Span: r.span(citation.GetSpan(), characters, "the span of a citation"),
			IDs:  citation.GetIds(),
		})
	}
	return claim
}

// thresholds reads the thresholds of a run, all of which have to be set.
func (r *reading) thresholds(m *pb.Thresholds) Thresholds {
	if m == nil {
		m = &pb.Thresholds{}
	}
	return Thresholds{
		DefaultConfidence:   r.required(m.DefaultConfidence, 0, 1, "default_confidence"),
		MinPosterior:        r.required(m.MinPosterior, 0, 1, "min_posterior"),
		PriorMargin:         r.required(m.PriorMargin, 0, 1, "prior_margin"),
		MaxGapBits:          r.required(m.MaxGapBits, 0, math.Inf(1), "max_gap_bits"),
		MinContradiction:    r.required(m.MinContradiction, 0, 1, "min_contradiction"),
		MinEvidenceUse:      r.required(m.MinEvidenceUse, 0, 1, "min_evidence_use"),
		ScoreBonusPosterior: r.required(m.ScoreBonusPosterior, 0, 1, "score_bonus_posterior"),
		MinGroundingScore:   r.required(m.MinGroundingScore, 0, 1, "min_grounding_score"),
		MinGroundedRatio:    r.required(m.MinGroundedRatio, 0, 1, "min_grounded_ratio"),
	}
}

// run reads what was done.
func (r *reading) run(m *pb.Run) Run {
	r.at = "run"
	usage := m.GetUsage()
	run := Run{
		Policy:        Policy(r.always(m.GetPolicy(), "POLICY_", "the policy")),
		Thresholds:    r.thresholds(m.GetThresholds()),
		Removal:       Removal(r.always(m.GetRemoval(), "REMOVAL_", "the removal")),
		Model:         m.GetModel(),
		PromptVersion: m.GetPromptVersion(),
		Backend:       m.GetBackend(),
		Usage: SharedUsage{
			DistinctPrompts: usage.GetDistinctPrompts(),
			PromptTokens:    usage.GetPromptTokens(),
			ComputedTokens:  usage.GetComputedTokens(),
			MinimalTokens:   usage.GetMinimalTokens(),
			BlockTokens:     int(usage.GetBlockTokens()),
		},
		Timing:          newTiming(m.GetTiming()),
		SkipNonEvidence: m.GetSkipNonEvidence(),
	}
	for _, sentence := range m.GetNonEvidence() {
		run.NonEvidence = append(run.NonEvidence, NonEvidence{
			SourceID: sentence.GetSourceId(),
			// Within a text that only the server was sent.
			Span: r.span(sentence.GetSpan(), int(sentence.GetSpan().GetEnd()), "the span of a sentence without evidence"),
			Kind: NonAssertiveReason(r.always(sentence.GetKind(), "NON_ASSERTIVE_REASON_", "the kind of a sentence without evidence")),
		})
	}
	return run
}
