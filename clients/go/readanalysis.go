package groundwire

import (
	"fmt"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// strengthRounding is how far a strength may be outside of its interval.
const strengthRounding = 1e-6

// message encodes the text.
func (t Text) message() (*pb.AnalyzeTextRequest, error) {
	w, m := writing{}, &pb.AnalyzeTextRequest{}
	w.fill(m, t)
	return m, w.done()
}

// message encodes the search.
func (s Search) message() (*pb.SearchCorpusRequest, error) {
	w, m := writing{}, &pb.SearchCorpusRequest{}
	w.fill(m, s)
	return m, w.done()
}

// newCorpusSearch reads what a search has found.
func newCorpusSearch(m *pb.SearchCorpusResponse) (*CorpusSearch, error) {
	r, search := &reading{at: "the response"}, &CorpusSearch{}
	r.fill(search, m)
	return done(r, search)
}

// newCorpusAnalysis reads what a corpus has on a text of so many characters.
func newCorpusAnalysis(m *pb.AnalyzeTextResponse, characters int) (*CorpusAnalysis, error) {
	r, analysis := &reading{at: "the response", characters: characters}, &CorpusAnalysis{}
	r.fill(analysis, m)
	for i, claim := range m.GetClaims() {
		r.at = fmt.Sprintf("claim %d", i)
		read := ClaimAnalysis{Budget: r.verdict(claim.GetBudget(), claim.GetClaim().GetContent())}
		r.fill(&read, claim)
		r.checkAnalysis(&read, analysis.Rules)
		analysis.Claims = append(analysis.Claims, read)
	}
	return done(r, analysis)
}

// checkAnalysis notes a verdict that its numbers and its evidence do not carry.
func (r *reading) checkAnalysis(claim *ClaimAnalysis, rules RiskRules) {
	against := false
	for _, passage := range claim.Evidence {
		against = against || passage.Relation == RelationContradicts
	}
	if n := claim.Numbers; n != nil && (n.EvidenceStrength < n.StrengthLow-strengthRounding || n.EvidenceStrength > n.StrengthHigh+strengthRounding) {
		r.breach("its strength %v is not in %v to %v", n.EvidenceStrength, n.StrengthLow, n.StrengthHigh)
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
