package groundwire

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// ratioTolerance is how far a grounding ratio may be from that of its claims:
// the rounding of one division.
const ratioTolerance = 1e-9

// newExtractedClaims reads the claims of a text of so many characters.
func newExtractedClaims(m *pb.ExtractClaimsResponse, characters int) (*ExtractedClaims, error) {
	r := &reading{at: "the response", characters: characters}
	extracted := &ExtractedClaims{}
	r.fill(extracted, m)
	return done(r, extracted)
}

// extraction reads how claims were found: by rules, if a server says nothing of
// it, since it knows nothing else.
func (r *reading) extraction(m *pb.Extraction) Extraction {
	if m.GetExtractor() == pb.Extractor_EXTRACTOR_UNSPECIFIED {
		return Extraction{Extractor: ExtractorRules}
	}
	var extraction Extraction
	r.fill(&extraction, m)
	return extraction
}

// newVerifiedClaims reads the verdicts of these claims. Any other number of them
// would attach verdicts to the wrong claims.
func newVerifiedClaims(m *pb.VerifyClaimsResponse, claims []ClaimInput) (*VerifiedClaims, error) {
	if len(m.GetVerdicts()) != len(claims) {
		return nil, badResponse("%d verdicts for %d claims", len(m.GetVerdicts()), len(claims))
	}
	r := &reading{}
	verified := &VerifiedClaims{}
	for i, verdict := range m.GetVerdicts() {
		r.at, r.characters = fmt.Sprintf("verdict %d", i), utf8.RuneCountInString(claims[i].Text)
		verified.Claims = append(verified.Claims, r.verified(claims[i].Text, verdict))
	}
	r.at = "the response"
	r.fill(verified, m)
	return done(r, verified)
}

// newReport reads the report on an answer of so many characters.
func newReport(m *pb.VerifyAnswerResponse, characters int) (*Report, error) {
	r := &reading{characters: characters}
	report := &Report{Claims: r.answerClaims(m.GetClaims())}
	r.at = "the response"
	r.fill(report, m)
	r.at = "summary"
	r.checkCorrection(report)
	r.tally(report)
	r.tallyReview(report)
	r.tallyUnverified(report)
	return done(r, report)
}

// checkCorrection notes edits that do not follow each other, and those of claims
// that are not in the report.
func (r *reading) checkCorrection(report *Report) {
	if report.Correction == nil {
		return
	}
	of, end := slices.Clone(report.Correction.UntriedClaims), 0
	for _, edit := range report.Correction.Edits {
		if edit.Span.Start < end {
			r.breach("edits of an answer overlap")
		}
		end = edit.Span.End
		of = append(of, edit.ClaimIndex)
	}
	for _, index := range of {
		if index < 0 || index >= len(report.Claims) {
			r.breach("claim %d of %d claims", index, len(report.Claims))
		}
	}
}

// tallyReview notes a wrong count of uncertain or conflicting claims, and an order of other
// claims than the report's.
func (r *reading) tallyReview(report *Report) {
	if r.err != nil {
		return
	}
	uncertain, conflicting, seen := 0, 0, make(map[int]bool)
	for _, claim := range report.Claims {
		if claim.Verdict == VerdictUncertain {
			uncertain++
		}
		if len(claim.Conflicts) > 0 && claim.Verdict == VerdictSupported {
			conflicting++
		}
	}
	if report.Summary.ConflictingClaims != conflicting {
		r.breach("it counts %d conflicting claims, of %d", report.Summary.ConflictingClaims, conflicting)
	}
	if report.Summary.UncertainClaims != uncertain {
		r.breach("it counts %d uncertain claims, of %d", report.Summary.UncertainClaims, uncertain)
	}
	for _, index := range report.Summary.ReviewOrder {
		if index < 0 || index >= len(report.Claims) || seen[index] {
			r.breach("its review order is %v for %d claims", report.Summary.ReviewOrder, len(report.Claims))
			return
		}
		seen[index] = true
	}
}

// tally notes a summary that the verdicts of its claims do not add up to.
func (r *reading) tally(report *Report) {
	if r.err != nil {
		return
	}
	var grounded, contradicted, unread, skipped, maybeSkipped int
	for _, claim := range report.Claims {
		if claim.Grounded {
			grounded++
		}
		if claim.Verdict == VerdictContradicted {
			contradicted++
		}
		if claim.isUnread() {
			unread++
		}
		switch claim.skip() {
		case skipYes:
			skipped++
		case skipUnknown:
			maybeSkipped++
		}
	}
	s := report.Summary
	if s.GroundedClaims != grounded {
		r.breach("%d grounded claims, but the verdicts have %d", s.GroundedClaims, grounded)
	}
	if s.SkippedClaims < skipped || s.SkippedClaims > skipped+maybeSkipped {
		r.breach("%d skipped claims, but the verdicts have %d", s.SkippedClaims, skipped)
	}
	if s.TotalClaims != len(report.Claims)-s.SkippedClaims {
		r.breach("%d claims in total, but %d of %d were skipped", s.TotalClaims, s.SkippedClaims, len(report.Claims))
	}
	if math.Abs(s.GroundingRatio-float64(grounded)/float64(max(s.TotalClaims, 1))) > ratioTolerance {
		r.breach("the grounding ratio %v is not %d / %d", s.GroundingRatio, grounded, s.TotalClaims)
	}
	if s.Abstained && s.TotalClaims > 0 {
		r.breach("it abstains, but %d claims count", s.TotalClaims)
	}
	if s.OverallGrounded && (grounded == 0 || unread > 0 || s.GroundingRatio < *report.Run.Thresholds.MinGroundedRatio) {
		r.breach("it is grounded as a whole with the grounding ratio %v, %d claims grounded and %d not read",
			s.GroundingRatio, grounded, unread)
	}
	if most := report.Run.Thresholds.MaxContradicted; s.OverallGrounded && most != nil && contradicted > *most {
		r.breach("it is grounded as a whole with %d contradicted claims, more than %d", contradicted, *most)
	}
	if s.Complete && unread > 0 {
		r.breach("it is complete with %d claims not read", unread)
	}
}

// tallyUnverified notes a summary that does not name, whole, what the report
// leaves out.
func (r *reading) tallyUnverified(report *Report) {
	if r.err != nil {
		return
	}
	told, found := map[UnverifiedClaims]int{}, map[UnverifiedClaims]int{}
	for _, claims := range report.Summary.Unverified {
		count := claims.Claims
		claims.Claims = 0
		told[claims] += count
	}
	for _, claim := range report.Claims {
		if claim.Verdict != VerdictNotVerified {
			continue
		}
		kind := UnverifiedClaims{Reason: claim.Reason}
		if kind.Reason == VerdictReasonNonAssertive {
			kind.NonAssertiveReason = claim.NonAssertiveReason
		}
		found[kind]++
	}
	if !maps.Equal(told, found) {
		r.breach("it does not name the claims that are not verified")
	}
}

// skipState says whether a claim was skipped.
type skipState int

const (
	skipNo skipState = iota
	skipYes
	// skipUnknown: by a reason that is newer than this package.
	skipUnknown
)

// isUnread reports whether nothing is known of the claim yet, which keeps an
// answer from being grounded.
func (v *VerifiedClaim) isUnread() bool {
	switch v.Reason {
	case VerdictReasonBeyondMaxClaims, VerdictReasonOutOfTime, VerdictReasonBackendFailed:
		return true
	}
	return false
}

// skip says whether the claim was skipped.
func (v *VerifiedClaim) skip() skipState {
	if v.isUnread() || v.Reason == VerdictReasonNonAssertive || v.Reason == VerdictReasonTooShort {
		return skipYes
	}
	if _, ok := verdictOf[v.Reason]; ok || v.Verdict != VerdictNotVerified {
		return skipNo
	}
	return skipUnknown
}
