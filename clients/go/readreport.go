package groundwire

import (
	"fmt"
	"maps"
	"math"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// ratioTolerance is how far a grounding ratio may be from that of its claims:
// the rounding of one division.
const ratioTolerance = 1e-9

// newExtractedClaims reads the claims of a text of so many characters.
func newExtractedClaims(m *pb.ExtractClaimsResponse, characters int) (*ExtractedClaims, error) {
	var r reading
	extracted := &ExtractedClaims{Language: m.GetLanguage()}
	for i, claim := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		extracted.Claims = append(extracted.Claims, r.claim(claim, characters))
	}
	r.at = "extraction"
	extracted.Extraction = r.extraction(m.GetExtraction())
	if r.err != nil {
		return nil, r.err
	}
	return extracted, nil
}

// extraction reads how claims were found: by rules, if a server says nothing of
// it, since it knows nothing else.
func (r *reading) extraction(m *pb.Extraction) Extraction {
	if m.GetExtractor() == pb.Extractor_EXTRACTOR_UNSPECIFIED {
		return Extraction{Extractor: ExtractorRules}
	}
	if m.GetDroppedClaims() < 0 || m.GetRestoredClaims() < 0 {
		r.breach("a negative number of dropped or restored claims")
	}
	return Extraction{
		Extractor:      Extractor(enumName(m.GetExtractor().String(), "EXTRACTOR_")),
		Fallback:       ExtractorFallback(enumName(m.GetFallback().String(), "EXTRACTOR_FALLBACK_")),
		DroppedClaims:  int(m.GetDroppedClaims()),
		RestoredClaims: int(m.GetRestoredClaims()),
		Backend:        m.GetBackend(),
		Model:          m.GetModel(),
	}
}

// newVerifiedClaims reads the verdicts of these claims. Any other number of them
// would attach verdicts to the wrong claims.
func newVerifiedClaims(m *pb.VerifyClaimsResponse, claims []ClaimInput) (*VerifiedClaims, error) {
	if len(m.GetVerdicts()) != len(claims) {
		return nil, badResponse("%d verdicts for %d claims", len(m.GetVerdicts()), len(claims))
	}
	var r reading
	verified := &VerifiedClaims{}
	for i, verdict := range m.GetVerdicts() {
		r.at = fmt.Sprintf("verdict %d", i)
		verified.Claims = append(verified.Claims, r.verified(claims[i].Text, verdict, utf8.RuneCountInString(claims[i].Text)))
	}
	verified.Run = r.run(m.GetRun())
	if r.err != nil {
		return nil, r.err
	}
	return verified, nil
}

// newReport reads the report on an answer of so many characters.
func newReport(m *pb.VerifyAnswerResponse, characters int) (*Report, error) {
	var r reading
	report := &Report{}
	for i, claim := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		report.Claims = append(report.Claims, r.inAnswer(r.claim(claim.GetClaim(), characters), claim.GetVerdict(), characters))
	}
	report.Run = r.run(m.GetRun())
	r.at = "summary"
	report.Summary = r.summary(m.GetSummary())
	report.Extraction = r.extraction(m.GetExtraction())
	for i, source := range m.GetSources() {
		r.at = fmt.Sprintf("source %d", i)
		report.Sources = append(report.Sources, r.source(source))
	}
	report.Correction = r.correction(m, characters)
	r.tally(report)
	r.tallyReview(report)
	r.tallyUnverified(report)
	if r.err != nil {
		return nil, r.err
	}
	return report, nil
}

// correction reads the correction of an answer of so many characters. Its edits
// follow each other.
func (r *reading) correction(report *pb.VerifyAnswerResponse, characters int) *Correction {
	m := report.GetCorrection()
	if m == nil {
		return nil
	}
	r.at = "correction"
	correction := &Correction{CorrectedAnswer: m.GetCorrectedAnswer()}
	end := 0
	for _, edit := range m.GetEdits() {
		read := Edit{
			Span:        r.span(edit.GetSpan(), characters, "the span of an edit"),
			Replacement: edit.GetReplacement(),
			Kind:        EditKind(r.always(edit.GetKind(), "EDIT_KIND_", "the kind of an edit")),
			ClaimIndex:  r.claimIndex(edit.GetClaimIndex(), report),
			SourceID:    edit.GetSourceId(),
			Probability: r.optional(edit.Probability, 0, 1, "the probability of an edit"),
		}
		if read.Span.Start < end {
			r.breach("edits of an answer overlap")
		}
		end = read.Span.End
		if source := edit.GetSourceSpan(); source != nil {
			// Within a text that only the server was sent.
			span := r.span(source, int(source.GetEnd()), "the span of a source")
			read.SourceSpan = &span
		}
		correction.Edits = append(correction.Edits, read)
	}
	for _, index := range m.GetUntriedClaims() {
		correction.UntriedClaims = append(correction.UntriedClaims, r.claimIndex(index, report))
	}
	if m.GetSummary() != nil {
		summary := r.summary(m.GetSummary())
		correction.Summary = &summary
	}
	return correction
}

// claimIndex reads the index of a claim of a report.
func (r *reading) claimIndex(index int32, report *pb.VerifyAnswerResponse) int {
	if index < 0 || int(index) >= len(report.GetClaims()) {
		r.breach("claim %d of %d claims", index, len(report.GetClaims()))
	}
	return int(index)
}

// source reads a passage of a corpus.
func (r *reading) source(m *pb.RetrievedSource) RetrievedSource {
	source := RetrievedSource{
		ID:       m.GetId(),
		Document: m.GetDocument(),
		Title:    m.GetTitle(),
		Text:     m.GetText(),
		Span:     Span{Start: int(m.GetSpan().GetStart()), End: int(m.GetSpan().GetEnd())},
		Dated:    m.GetDated(),
		DatedBy:  m.GetDatedBy(),
	}
	if m.Similarity != nil {
		similarity := r.number(m.GetSimilarity(), -1.001, 1.001, "the similarity")
		source.Similarity = &similarity
	}
	return source
}

// summary reads the summary of a report.
func (r *reading) summary(m *pb.AnswerSummary) AnswerSummary {
	if m == nil {
		r.breach("it is missing")
	}
	summary := AnswerSummary{
		OverallGrounded: m.GetOverallGrounded(),
		GroundedClaims:  int(m.GetGroundedClaims()),
		TotalClaims:     int(m.GetTotalClaims()),
		GroundingRatio:  r.number(m.GetGroundingRatio(), 0, 1, "the grounding ratio"),
		Warning:         m.GetWarning(),
		Language:        m.GetLanguage(),
		SkippedClaims:   int(m.GetSkippedClaims()),
		VerifiedShare:   r.number(m.GetVerifiedShare(), 0, 1, "the verified share"),
		UnclaimedLines:  int(m.GetUnclaimedLines()),
		UncertainClaims: int(m.GetUncertainClaims()),
		Thoughts:        int(m.GetThoughts()),
		Complete:        m.GetComplete(),
		Abstained:       m.GetAbstained(),

		PlainInstructions: int(m.GetPlainInstructions()),
		ConflictingClaims: int(m.GetConflictingClaims()),
		UnexplainedClaims: int(m.GetUnexplainedClaims()),
	}
	for _, index := range m.GetReviewOrder() {
		summary.ReviewOrder = append(summary.ReviewOrder, int(index))
	}
	for _, claims := range m.GetUnverified() {
		summary.Unverified = append(summary.Unverified, UnverifiedClaims{
			Reason:             VerdictReason(r.always(claims.GetReason(), "VERDICT_REASON_", "an unverified reason")),
			NonAssertiveReason: NonAssertiveReason(enumName(claims.GetNonAssertiveReason().String(), "NON_ASSERTIVE_REASON_")),
			Claims:             int(claims.GetClaims()),
		})
	}
	return summary
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
