package groundwire

import (
	"fmt"
	"time"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// message encodes the text.
func (t Text) message() (*pb.AnalyzeTextRequest, error) {
	var w writing
	m := &pb.AnalyzeTextRequest{
		Text:    w.text(t.Content, "text"),
		Corpus:  w.text(t.Corpus, "corpus"),
		Extract: t.Extract.message(&w, "extract"),
		Options: t.Options.message(&w),
	}
	return m, w.done()
}

// message encodes the search.
func (s Search) message() (*pb.SearchCorpusRequest, error) {
	var w writing
	m := &pb.SearchCorpusRequest{
		Query:       w.text(s.Query, "query"),
		Corpus:      w.text(s.Corpus, "corpus"),
		MaxPassages: w.option(s.MaxPassages, "max_passages"),
	}
	return m, w.done()
}

// newCorpusSearch reads what a search has found.
func newCorpusSearch(m *pb.SearchCorpusResponse) (*CorpusSearch, error) {
	r := &reading{at: "the response"}
	search := &CorpusSearch{Corpus: m.GetCorpus()}
	for i, passage := range m.GetPassages() {
		r.at = fmt.Sprintf("passage %d", i)
		search.Passages = append(search.Passages, r.source(passage))
	}
	if r.err != nil {
		return nil, r.err
	}
	return search, nil
}

// newCorpusAnalysis reads what a corpus has on a text of so many characters.
func newCorpusAnalysis(m *pb.AnalyzeTextResponse, characters int) (*CorpusAnalysis, error) {
	r := &reading{at: "the response"}
	if m.GetRun() == nil || m.GetRules() == nil || m.GetNotice() == "" {
		r.breach("its run, its rules or its notice is missing")
	}
	analysis := &CorpusAnalysis{
		Notice:   m.GetNotice(),
		Language: m.GetLanguage(),
		Corpus:   m.GetCorpus(),
		Run:      r.run(m.GetRun()),
		Rules:    r.riskRules(m.GetRules()),
	}
	for i, claim := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		analysis.Claims = append(analysis.Claims, r.analysis(claim, characters))
		r.checkAnalysis(&analysis.Claims[i], analysis.Rules)
	}
	if r.err != nil {
		return nil, r.err
	}
	return analysis, nil
}

// analysis reads one claim.
func (r *reading) analysis(m *pb.ClaimAnalysis, characters int) ClaimAnalysis {
	claim := ClaimAnalysis{
		Claim:       r.claim(m.GetClaim(), characters),
		Verdict:     EvidenceVerdict(r.always(m.GetVerdict(), "EVIDENCE_VERDICT_", "the verdict")),
		Reason:      EvidenceReason(r.always(m.GetReason(), "EVIDENCE_REASON_", "the reason")),
		ReasonText:  m.GetReasonText(),
		Uncertain:   m.GetIsUncertain(),
		Budget:      r.verdict(m.GetBudget(), m.GetClaim().GetContent()),
		Explanation: m.GetExplanation(),
	}
	for _, passage := range m.GetEvidence() {
		claim.Evidence = append(claim.Evidence, r.passage(passage))
	}
	for _, kind := range m.GetContradictions() {
		claim.Contradictions = append(claim.Contradictions, Contradiction(enumName(kind.String(), "CONTRADICTION_")))
	}
	if m.GetNumbers() != nil {
		claim.Numbers = r.riskNumbers(m.GetNumbers())
	}
	return claim
}

// passage reads one piece of evidence.
func (r *reading) passage(m *pb.RelatedPassage) RelatedPassage {
	passage := RelatedPassage{
		Document:      m.GetDocument(),
		Title:         m.GetTitle(),
		Text:          m.GetText(),
		Start:         int(m.GetStart()),
		End:           int(m.GetEnd()),
		DatedBy:       m.GetDatedBy(),
		Old:           m.GetIsOld(),
		Relation:      Relation(r.always(m.GetRelation(), "RELATION_", "a relation")),
		Sentence:      m.GetSentence(),
		DecidedBy:     RelationDecidedBy(r.always(m.GetDecidedBy(), "RELATION_DECIDED_BY_", "who found a relation")),
		Contradiction: Contradiction(enumName(m.GetContradiction().String(), "CONTRADICTION_")),
		Detail:        m.GetDetail(),
	}
	if m.Similarity != nil {
		passage.Similarity = new(r.finite(m.GetSimilarity(), "a similarity"))
	}
	if m.GetStance() != nil {
		passage.Stance = r.stance(m.GetStance())
	}
	if m.GetDated() != "" {
		day, err := time.Parse(time.DateOnly, m.GetDated())
		if err != nil {
			r.breach("a document's day is no date")
		}
		passage.Dated = day
	}
	return passage
}

// riskNumbers reads the numbers of one claim.
func (r *reading) riskNumbers(m *pb.RiskNumbers) *RiskNumbers {
	numbers := &RiskNumbers{
		EvidenceStrength:     r.number(m.GetEvidenceStrength(), 0, 1, "evidence_strength"),
		StrengthLow:          r.number(m.GetStrengthLow(), 0, 1, "strength_low"),
		StrengthHigh:         r.number(m.GetStrengthHigh(), 0, 1, "strength_high"),
		RawConfidence:        r.number(m.GetRawConfidence(), 0, 1, "raw_confidence"),
		RawSource:            RawConfidenceSource(r.always(m.GetRawSource(), "RAW_CONFIDENCE_SOURCE_", "the source of its raw confidence")),
		CalibratedConfidence: r.number(m.GetCalibratedConfidence(), 0, 1, "calibrated_confidence"),
		Risk:                 r.number(m.GetRisk(), 0, 1, "risk"),
	}
	for _, penalty := range m.GetPenalties() {
		numbers.Penalties = append(numbers.Penalties, AppliedPenalty{
			Penalty: Penalty(r.always(penalty.GetPenalty(), "PENALTY_", "a penalty")),
			Points:  r.number(penalty.GetPoints(), 0, 1, "the points of a penalty"),
		})
	}
	return numbers
}

// riskRules reads the operator's numbers.
func (r *reading) riskRules(m *pb.RiskRules) RiskRules {
	return RiskRules{
		NoEvidencePenalty:      r.number(m.GetNoEvidencePenalty(), 0, 1, "no_evidence_penalty"),
		ContradictionPenalty:   r.number(m.GetContradictionPenalty(), 0, 1, "contradiction_penalty"),
		WeakEvidencePenalty:    r.number(m.GetWeakEvidencePenalty(), 0, 1, "weak_evidence_penalty"),
		VagueLanguagePenalty:   r.number(m.GetVagueLanguagePenalty(), 0, 1, "vague_language_penalty"),
		HallucinationThreshold: r.number(m.GetHallucinationThreshold(), 0, 1, "hallucination_threshold"),
		GroundedThreshold:      r.number(m.GetGroundedThreshold(), 0, 1, "grounded_threshold"),
		RawWeight:              r.number(m.GetRawWeight(), 0, 1, "raw_weight"),
	}
}

// checkAnalysis notes a verdict that its numbers and its evidence do not carry.
func (r *reading) checkAnalysis(claim *ClaimAnalysis, rules RiskRules) {
	against := false
	for _, passage := range claim.Evidence {
		against = against || passage.Relation == RelationContradicts
	}
	carried := true
	switch claim.Verdict {
	case EvidenceGrounded:
		carried = claim.Numbers != nil && !against && claim.Numbers.EvidenceStrength > rules.GroundedThreshold
	case EvidenceHallucinated:
		carried = claim.Numbers != nil && claim.Numbers.EvidenceStrength < rules.HallucinationThreshold
	case EvidenceWeak:
		carried = claim.Numbers != nil
	case EvidenceNotVerified:
		carried = claim.Numbers == nil
	}
	if !carried {
		r.breach("it is %s, and its numbers and its evidence do not say so", claim.Verdict)
	}
}
