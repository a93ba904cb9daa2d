package groundwire

import (
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// verdictOf is the verdict that each reason of the contract belongs to.
var verdictOf = map[VerdictReason]Verdict{
	VerdictReasonBudgetCovered:       VerdictSupported,
	VerdictReasonScoreReached:        VerdictSupported,
	VerdictReasonBudgetExceeded:      VerdictUnsupported,
	VerdictReasonLowPosterior:        VerdictUnsupported,
	VerdictReasonScoreMissed:         VerdictUnsupported,
	VerdictReasonEvidenceAgainst:     VerdictUnsupported,
	VerdictReasonEvidenceUnused:      VerdictUnsupported,
	VerdictReasonModelSaysNo:         VerdictContradicted,
	VerdictReasonHighPrior:           VerdictPriorKnowledge,
	VerdictReasonUnknownCitation:     VerdictNotVerified,
	VerdictReasonLabelMassBelowFloor: VerdictNotVerified,
	VerdictReasonNoDonor:             VerdictNotVerified,
	VerdictReasonNonAssertive:        VerdictNotVerified,
	VerdictReasonTooShort:            VerdictNotVerified,
	VerdictReasonBeyondMaxClaims:     VerdictNotVerified,
	VerdictReasonTooLong:             VerdictNotVerified,
}

// isKnown reports whether this package knows the verdict.
func (v Verdict) isKnown() bool {
	switch v {
	case VerdictSupported, VerdictUnsupported, VerdictContradicted, VerdictPriorKnowledge, VerdictNotVerified:
		return true
	}
	return false
}

// verdict reads the verdict of the claim that r.at names.
func (r *reading) verdict(m *pb.ClaimVerdict) *ClaimVerdict {
	if m == nil {
		r.breach("there is no verdict")
		return &ClaimVerdict{}
	}
	v := &ClaimVerdict{
		Verdict:          Verdict(r.always(m.GetVerdict(), "VERDICT_", "the verdict")),
		Reason:           VerdictReason(r.always(m.GetReason(), "VERDICT_REASON_", "the reason")),
		ReasonText:       m.GetReasonText(),
		Grounded:         m.GetGrounded(),
		Warning:          m.GetWarning(),
		CitationStatus:   CitationStatus(r.always(m.GetCitationStatus(), "CITATION_STATUS_", "the citation status")),
		CitedIDs:         m.GetCitedIds(),
		UnknownIDs:       m.GetUnknownIds(),
		PriorTitleIDs:    m.GetPriorTitleIds(),
		Posterior:        r.estimate(m.GetPosterior(), "the posterior"),
		Prior:            r.estimate(m.GetPrior(), "the prior"),
		Confidence:       r.number(m.GetConfidence(), 0, 1, "the confidence"),
		ConfidenceSource: ConfidenceSource(enumName(m.GetConfidenceSource().String(), "CONFIDENCE_SOURCE_")),
		Budget:           r.budget(m.GetBudget()),
		GroundingScore:   r.optional(m.GroundingScore, 0, 1, "the grounding score"),
		EvidenceUse:      r.optional(m.EvidenceUse, -1, 1, "the evidence use"),
		Stance:           r.stance(m.GetStance()),
		Envelope:         r.envelope(m.GetEnvelope()),
	}
	for _, role := range m.GetCitationRoles() {
		v.CitationRoles = append(v.CitationRoles, CitationRole{
			ID:    role.GetId(),
			Role:  Role(enumName(role.GetRole().String(), "ROLE_")),
			Drop:  r.optional(role.Drop, -1, 1, "a drop"),
			Alone: r.optional(role.Alone, -1, 1, "an alone"),
		})
	}
	r.check(v)
	return v
}

// check notes a verdict that its own numbers do not carry.
func (r *reading) check(v *ClaimVerdict) {
	p1 := v.Posterior != nil && v.Posterior.OK
	p0 := v.Prior != nil && v.Prior.OK
	numbers := v.Budget != nil || v.GroundingScore != nil || v.EvidenceUse != nil
	allNumbers := v.Budget != nil && v.GroundingScore != nil && v.EvidenceUse != nil
	if v.Grounded != (v.Verdict == VerdictSupported) {
		r.breach("the verdict is %s and grounded is %v", v.Verdict, v.Grounded)
	}
	if want, ok := verdictOf[v.Reason]; ok && v.Verdict.isKnown() && v.Verdict != want {
		r.breach("the verdict is %s by the reason %s", v.Verdict, v.Reason)
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
		// A status that is newer than this package is not known to be harmless.
		if v.CitationStatus != CitationsNone && v.CitationStatus != CitationsKnown || len(v.UnknownIDs) > 0 {
			r.breach("it is %s with the citation status %s and the unknown ids %q", v.Verdict, v.CitationStatus, v.UnknownIDs)
		}
	case VerdictPriorKnowledge:
		if !p1 || !p0 {
			r.breach("it is %s without p1 and p0", v.Verdict)
		}
	case VerdictUnsupported:
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
	return &Budget{
		RequiredBits:            r.finite(m.GetRequiredBits(), "required_bits"),
		ObservedBits:            r.finite(m.GetObservedBits(), "observed_bits"),
		GapBits:                 r.finite(m.GetGapBits(), "gap_bits"),
		RequiredExceedsObserved: m.GetRequiredExceedsObserved(),
		RequiredNats:            r.finite(m.GetRequiredNats(), "required_nats"),
		ObservedNats:            r.finite(m.GetObservedNats(), "observed_nats"),
		GapNats:                 r.finite(m.GetGapNats(), "gap_nats"),
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
