package groundwire

import (
	"fmt"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// reading decodes a response and keeps the first thing in it that is against
// the contract. An answer that has one is never passed on.
type reading struct {
	// at says which part of the response is being read, such as "claim 3".
	at string
	// characters are those of the text that spans are in.
	characters int
	err        error
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

// estimate reads an estimate.
func (r *reading) estimate(m *pb.Estimate, name string) Estimate {
	estimate, err := newEstimate(m, r.at+": "+name)
	if r.err == nil {
		r.err = err
	}
	return estimate
}

// span reads a span of a text of so many characters.
func (r *reading) span(m *pb.Span, characters int, name string) Span {
	span := Span{Start: int(m.GetStart()), End: int(m.GetEnd())}
	if m == nil || span.Start < 0 || span.End <= span.Start || span.End > characters {
		r.breach("%s is %d to %d of %d characters", name, span.Start, span.End, characters)
	}
	return span
}

// claim reads a claim.
func (r *reading) claim(m *pb.Claim) Claim {
	if m.GetContent() == "" {
		r.breach("there is no claim")
	}
	var claim Claim
	r.fill(&claim, m)
	return claim
}

// verdictOf is the verdict that each reason of the contract belongs to. Those of
// VerdictUnsupported but two are of VerdictUncertain, too.
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
		return want == VerdictUnsupported && reason != VerdictReasonEvidenceAgainst && reason != VerdictReasonUnstatedCode
	}
	return v == want
}

// inAnswer joins a claim of an answer with its verdict.
func (r *reading) inAnswer(claim Claim, m *pb.ClaimVerdict) AnswerClaim {
	return AnswerClaim{
		VerifiedClaim:      r.verified(claim.Content, m),
		Span:               claim.Span,
		Citations:          claim.Citations,
		TextConfidence:     claim.statedConfidence(),
		NonAssertiveReason: claim.NonAssertiveReason,
		Language:           claim.Language,
	}
}

// answerClaims reads the claims of an answer with their verdicts.
func (r *reading) answerClaims(messages []*pb.AnswerClaim) []AnswerClaim {
	var claims []AnswerClaim
	for i, m := range messages {
		r.at = fmt.Sprintf("claim %d", i)
		claims = append(claims, r.inAnswer(r.claim(m.GetClaim()), m.GetVerdict()))
	}
	return claims
}

// verified reads the verdict of the claim that r.at names.
func (r *reading) verified(content string, m *pb.ClaimVerdict) VerifiedClaim {
	if m == nil {
		r.breach("there is no verdict")
		return VerifiedClaim{}
	}
	v := VerifiedClaim{Content: content}
	r.fill(&v, m)
	r.check(&v)
	return v
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
		if !p1 || v.Reason == VerdictReasonModelSaysNo && v.Stance == nil {
			r.breach("it is %s without p1 and a stance", v.Verdict)
		}
	}
}
