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

// within returns a place that has to be in a text of so many characters, or at
// its end.
func (r *reading) within(place int32, characters int, name string) int {
	return int(r.number(float64(place), 0, float64(characters), name))
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
		ConfidenceSource:   ConfidenceSource(r.always(m.GetConfidenceSource(), "CONFIDENCE_SOURCE_", "the source of its confidence")),
		NonAssertiveReason: NonAssertiveReason(enumName(m.GetNonAssertiveReason().String(), "NON_ASSERTIVE_REASON_")),
		Language:           m.GetLanguage(),
	}
	if m == nil || m.Confidence == nil {
		r.breach("its confidence is missing")
	}
	claim.Confidence = r.number(m.GetConfidence(), 0, 1, "its confidence")
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
	var mostContradicted *int
	if m.MaxContradicted != nil {
		mostContradicted = new(int(m.GetMaxContradicted()))
	}
	return Thresholds{
		MaxContradicted:     mostContradicted,
		DefaultConfidence:   r.required(m.DefaultConfidence, 0, 1, "default_confidence"),
		MinPosterior:        r.required(m.MinPosterior, 0, 1, "min_posterior"),
		PriorMargin:         r.required(m.PriorMargin, 0, 1, "prior_margin"),
		MaxGapBits:          r.required(m.MaxGapBits, 0, math.Inf(1), "max_gap_bits"),
		MinContradiction:    r.required(m.MinContradiction, 0, 1, "min_contradiction"),
		MinEvidenceUse:      r.required(m.MinEvidenceUse, 0, 1, "min_evidence_use"),
		ScoreBonusPosterior: r.required(m.ScoreBonusPosterior, 0, 1, "score_bonus_posterior"),
		MinGroundingScore:   r.required(m.MinGroundingScore, 0, 1, "min_grounding_score"),
		MinGroundedRatio:    r.required(m.MinGroundedRatio, 0, 1, "min_grounded_ratio"),

		MaxUnsupportedPosterior: r.optional(m.MaxUnsupportedPosterior, 0, 1, "max_unsupported_posterior"),
		MinMiscitation:          r.optional(m.MinMiscitation, 0, 1, "min_miscitation"),
	}
}

// run reads what was done.
func (r *reading) run(m *pb.Run) Run {
	r.at = "run"
	usage := m.GetUsage()
	run := Run{
		Policy:        Policy(r.always(m.GetPolicy(), "POLICY_", "the policy")),
		Thresholds:    r.thresholds(m.GetThresholds()),
		Strictness:    Strictness(enumName(m.GetStrictness().String(), "STRICTNESS_")),
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
		DetectionID:     m.GetDetectionId(),
		Uncalibrated:    m.GetUncalibrated(),
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

// verdictOf is the verdict that each reason of the contract belongs to. Those of
// VerdictUnsupported but one are of VerdictUncertain, too.
var verdictOf = map[VerdictReason]Verdict{
	VerdictReasonBudgetCovered:       VerdictSupported,
	VerdictReasonScoreReached:        VerdictSupported,
	VerdictReasonBudgetExceeded:      VerdictUnsupported,
	VerdictReasonLowPosterior:        VerdictUnsupported,
	VerdictReasonScoreMissed:         VerdictUnsupported,
	VerdictReasonEvidenceAgainst:     VerdictUnsupported,
	VerdictReasonEvidenceUnused:      VerdictUnsupported,
	VerdictReasonModelSaysNo:         VerdictContradicted,
	VerdictReasonOtherSource:         VerdictMiscited,
	VerdictReasonHighPrior:           VerdictPriorKnowledge,
	VerdictReasonUnknownCitation:     VerdictNotVerified,
	VerdictReasonLabelMassBelowFloor: VerdictNotVerified,
	VerdictReasonNoDonor:             VerdictNotVerified,
	VerdictReasonNonAssertive:        VerdictNotVerified,
	VerdictReasonTooShort:            VerdictNotVerified,
	VerdictReasonBeyondMaxClaims:     VerdictNotVerified,
	VerdictReasonTooLong:             VerdictNotVerified,
	VerdictReasonOutOfTime:           VerdictNotVerified,
	VerdictReasonBackendFailed:       VerdictNotVerified,
	VerdictReasonIntervalTooWide:     VerdictNotVerified,
	VerdictReasonTooFewSamples:       VerdictNotVerified,
	VerdictReasonIncomplete:          VerdictNotVerified,
	VerdictReasonCorroborated:        VerdictSupported,
	VerdictReasonFalseAbsence:        VerdictContradicted,
	VerdictReasonUnstatedCode:        VerdictUnsupported,
	VerdictReasonCellSaysOtherwise:   VerdictContradicted,
}

// isKnown reports whether this package knows the verdict.
func (v Verdict) isKnown() bool {
	switch v {
	case VerdictSupported, VerdictUncertain, VerdictUnsupported, VerdictContradicted, VerdictMiscited, VerdictPriorKnowledge,
		VerdictNotVerified:
		return true
	}
	return false
}

// isOf reports whether a verdict can have the reason, whose own verdict is want.
func (v Verdict) isOf(reason VerdictReason, want Verdict) bool {
	if v == VerdictUncertain {
		return want == VerdictUnsupported && reason != VerdictReasonEvidenceAgainst
	}
	return v == want
}

// inAnswer joins a claim of an answer of so many characters with its verdict.
func (r *reading) inAnswer(claim Claim, m *pb.ClaimVerdict, characters int) AnswerClaim {
	return AnswerClaim{
		VerifiedClaim:      r.verified(claim.Content, m, characters),
		Span:               claim.Span,
		Citations:          claim.Citations,
		TextConfidence:     claim.statedConfidence(),
		NonAssertiveReason: claim.NonAssertiveReason,
		Language:           claim.Language,
	}
}

// verified reads the verdict of the claim that r.at names. Its unsupported spans
// point into a text of so many characters; where none is explained there is none.
func (r *reading) verified(content string, m *pb.ClaimVerdict, characters int) VerifiedClaim {
	if m == nil {
		r.breach("there is no verdict")
		return VerifiedClaim{}
	}
	v := VerifiedClaim{
		Content:          content,
		Verdict:          Verdict(r.always(m.GetVerdict(), "VERDICT_", "the verdict")),
		Reason:           VerdictReason(r.always(m.GetReason(), "VERDICT_REASON_", "the reason")),
		ReasonText:       m.GetReasonText(),
		Grounded:         m.GetGrounded(),
		Warning:          m.GetWarning(),
		CitationStatus:   CitationStatus(r.always(m.GetCitationStatus(), "CITATION_STATUS_", "the citation status")),
		CitedIDs:         m.GetCitedIds(),
		UnknownIDs:       m.GetUnknownIds(),
		PriorTitleIDs:    m.GetPriorTitleIds(),
		UnstatedValues:   m.GetUnstatedValues(),
		Posterior:        r.estimate(m.GetPosterior(), "the posterior"),
		Prior:            r.estimate(m.GetPrior(), "the prior"),
		Confidence:       r.number(m.GetConfidence(), 0, 1, "the confidence"),
		ConfidenceSource: ConfidenceSource(enumName(m.GetConfidenceSource().String(), "CONFIDENCE_SOURCE_")),
		Budget:           r.budget(m.GetBudget()),
		GroundingScore:   r.optional(m.GroundingScore, 0, 1, "the grounding score"),
		EvidenceUse:      r.optional(m.EvidenceUse, -1, 1, "the evidence use"),
		Stance:           r.stance(m.GetStance()),
		Envelope:         r.envelope(m.GetEnvelope()),
		Explained:        m.GetExplained(),
		ClosedBook:       r.estimate(m.GetClosedBook(), "the closed book"),
		CitedAlone:       r.estimate(m.GetCitedAlone(), "the cited sources alone"),
	}
	for _, role := range m.GetCitationRoles() {
		v.CitationRoles = append(v.CitationRoles, CitationRole{
			ID:    role.GetId(),
			Role:  Role(enumName(role.GetRole().String(), "ROLE_")),
			Drop:  r.optional(role.Drop, -1, 1, "a drop"),
			Alone: r.optional(role.Alone, -1, 1, "an alone"),
		})
	}
	for _, other := range m.GetOtherSources() {
		v.OtherSources = append(v.OtherSources, OtherSource{
			ID:          other.GetId(),
			Probability: r.optional(other.Probability, 0, 1, "the probability of another source"),
			Carries:     other.GetCarries(),
		})
	}
	for _, passage := range m.GetReadPassages() {
		v.ReadPassages = append(v.ReadPassages, ReadPassage{
			SourceID: passage.GetSourceId(),
			// Within a text that only the server was sent.
			Span: r.span(passage.GetSpan(), int(passage.GetSpan().GetEnd()), "the span of a passage"),
		})
	}
	for _, passage := range m.GetDecidingPassages() {
		v.DecidingPassages = append(v.DecidingPassages, r.decidingPassage(passage))
	}
	for _, span := range m.GetUnsupportedSpans() {
		v.UnsupportedSpans = append(v.UnsupportedSpans, UnsupportedSpan{
			Span: r.span(span.GetSpan(), characters, "an unsupported span"),
			Kind: SpanKind(enumName(span.GetKind().String(), "SPAN_KIND_")),
		})
	}
	for _, conflict := range m.GetConflicts() {
		v.Conflicts = append(v.Conflicts, SourceConflict{
			Passage: r.decidingPassage(conflict.GetPassage()),
			NewerID: conflict.GetNewerId(),
		})
	}
	r.check(&v)
	return v
}

// decidingPassage reads a passage that decides a claim.
func (r *reading) decidingPassage(m *pb.DecidingPassage) DecidingPassage {
	passage := DecidingPassage{
		SourceID: m.GetSourceId(),
		// Within a text that only the server was sent.
		Span:     r.span(m.GetSpan(), int(m.GetSpan().GetEnd()), "the span of a deciding passage"),
		Text:     m.GetText(),
		Relation: PassageRelation(r.always(m.GetRelation(), "PASSAGE_RELATION_", "the relation of a passage")),
	}
	if m != nil {
		passage.Probability = r.optional(m.Probability, 0, 1, "the probability of a passage")
	}
	return passage
}

// check notes a verdict that its own numbers do not carry.
func (r *reading) check(v *VerifiedClaim) {
	p1 := v.Posterior != nil && v.Posterior.OK
	p0 := v.Prior != nil && v.Prior.OK
	numbers := v.Budget != nil || v.GroundingScore != nil || v.EvidenceUse != nil
	allNumbers := v.Budget != nil && v.GroundingScore != nil && v.EvidenceUse != nil
	if v.Grounded != (v.Verdict == VerdictSupported) {
		r.breach("the verdict is %s and grounded is %v", v.Verdict, v.Grounded)
	}
	if want, ok := verdictOf[v.Reason]; ok && v.Verdict.isKnown() && !v.Verdict.isOf(v.Reason, want) {
		r.breach("the verdict is %s by the reason %s", v.Verdict, v.Reason)
	}
	if len(v.Conflicts) > 0 && v.Verdict == VerdictNotVerified {
		r.breach("the verdict is %s with conflicts of sources", v.Verdict)
	}
	if numbers && !(p1 && p0) {
		r.breach("there is a budget, a score or an evidence use without p1 and p0")
	}
	if p1 && p0 && !allNumbers {
		r.breach("there are p1 and p0 without a budget, a score or an evidence use")
	}
	switch v.Verdict {
	case VerdictSupported:
		if !p1 || !p0 {
			r.breach("it is %s without p1 and p0", v.Verdict)
		}
		if v.Reason == VerdictReasonCorroborated && (v.ClosedBook == nil || v.CitedAlone == nil) {
			r.breach("it is %s without a closed book and the cited sources alone", v.Reason)
		}
		// A status that is newer than this package is not known to be harmless.
		if v.CitationStatus != CitationsNone && v.CitationStatus != CitationsKnown || len(v.UnknownIDs) > 0 {
			r.breach("it is %s with the citation status %s and the unknown ids %q", v.Verdict, v.CitationStatus, v.UnknownIDs)
		}
	case VerdictMiscited:
		if !p1 || !p0 || v.ClosedBook == nil {
			r.breach("it is %s without p1, p0 and a closed book", v.Verdict)
		}
	case VerdictPriorKnowledge:
		if !p1 || !p0 {
			r.breach("it is %s without p1 and p0", v.Verdict)
		}
	case VerdictUncertain, VerdictUnsupported:
		if !p1 {
			r.breach("it is %s without p1", v.Verdict)
		}
	case VerdictContradicted:
		if !p1 || v.Stance == nil {
			r.breach("it is %s without p1 and a stance", v.Verdict)
		}
	}
}

// budget reads a budget that may be missing.
func (r *reading) budget(m *pb.Budget) *Budget {
	if m == nil {
		return nil
	}
	for _, bits := range []*float64{m.MinGapBits, m.MaxGapBits} {
		if bits != nil {
			r.finite(*bits, "a gap of the budget")
		}
	}
	return &Budget{
		RequiredBits:            r.finite(m.GetRequiredBits(), "required_bits"),
		ObservedBits:            r.finite(m.GetObservedBits(), "observed_bits"),
		GapBits:                 r.finite(m.GetGapBits(), "gap_bits"),
		RequiredExceedsObserved: m.GetRequiredExceedsObserved(),
		RequiredNats:            r.finite(m.GetRequiredNats(), "required_nats"),
		ObservedNats:            r.finite(m.GetObservedNats(), "observed_nats"),
		GapNats:                 r.finite(m.GetGapNats(), "gap_nats"),
		MinGapBits:              m.MinGapBits,
		MaxGapBits:              m.MaxGapBits,
	}
}

// stance reads a stance that may be missing.
func (r *reading) stance(m *pb.Stance) *Stance {
	if m == nil {
		return nil
	}
	return &Stance{
		Yes:       r.number(m.GetYes(), 0, 1, "P(YES)"),
		No:        r.number(m.GetNo(), 0, 1, "P(NO)"),
		Unsure:    r.number(m.GetUnsure(), 0, 1, "P(UNSURE)"),
		LabelMass: r.number(m.GetLabelMass(), 0, 1, "the label mass of the stance"),
	}
}

// envelope reads an envelope that may be missing.
func (r *reading) envelope(m *pb.Envelope) *Envelope {
	if m == nil {
		return nil
	}
	e := &Envelope{
		MinPrior:   r.optional(m.MinPrior, 0, 1, "min_prior"),
		MaxPrior:   r.optional(m.MaxPrior, 0, 1, "max_prior"),
		MinGapBits: m.MinGapBits,
		MaxGapBits: m.MaxGapBits,
	}
	for _, bits := range []*float64{m.MinGapBits, m.MaxGapBits} {
		if bits != nil {
			r.finite(*bits, "a gap of the envelope")
		}
	}
	for _, prior := range m.GetPriors() {
		e.Priors = append(e.Priors, RemovalPrior{
			Removal: Removal(r.always(prior.GetRemoval(), "REMOVAL_", "a removal of the envelope")),
			Prior:   r.estimate(prior.GetPrior(), "a prior of the envelope"),
		})
	}
	return e
}
