package groundwire

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Text is a text to analyse against a corpus.
type Text struct {
	// Content is the text, such as the response of a language model.
	Content string `pb:"text"`
	// Corpus is the operator's name of the corpus. Empty: the only one.
	Corpus string
	// Extract says how the text is split into claims.
	Extract ExtractOptions
	// Options say how claims are read.
	Options VerifyOptions
}

// AnalyzeText says what a corpus of the server has on the claims of a text, and
// how large the risk of believing them is. Verdicts are signals, not judgments:
// show [CorpusAnalysis.Notice] with them. Errors are of type [*Error];
// errors.Is(err, [ErrNotEnabled]) holds where the server's operator has not
// switched epistemic risk on.
func (c *Client) AnalyzeText(ctx context.Context, text Text) (*CorpusAnalysis, error) {
	message, err := text.message()
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.corpus.AnalyzeText, message, func(response *pb.AnalyzeTextResponse) (*CorpusAnalysis, error) {
		return newCorpusAnalysis(response, utf8.RuneCountInString(text.Content))
	})
}

// Search asks for passages of a corpus.
type Search struct {
	// Query is what to look for, such as a claim or a question.
	Query string
	// Corpus is the operator's name of the corpus. Empty: the only one.
	Corpus string
	// MaxPassages is the most to find, 1 to 100. Nil: as the server is set.
	MaxPassages *int
}

// SearchCorpus finds the passages of a corpus of the server that are nearest to a
// text. No model reads them, so it works while the server loads. Errors are of
// type [*Error], with the reason UNKNOWN_CORPUS for a name that no corpus has.
func (c *Client) SearchCorpus(ctx context.Context, search Search) (*CorpusSearch, error) {
	message, err := search.message()
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.corpus.SearchCorpus, message, newCorpusSearch)
}

// CorpusSearch is the answer to [Client.SearchCorpus].
type CorpusSearch struct {
	// Passages are the passages, best first. Empty: none is near enough.
	Passages []RetrievedSource
	// Corpus is the name of the corpus.
	Corpus string
}

// CorpusAnalysis is the answer to [Client.AnalyzeText].
type CorpusAnalysis struct {
	// Claims has all claims of the text, in its order.
	Claims []ClaimAnalysis `pb:"-"`
	// Notice says what the verdicts are and who decides; show it with them.
	Notice string `pb:",set"`
	// Language is the language that most of the claims are in.
	Language string
	// Corpus is the name of the corpus.
	Corpus string
	// Run says what was done and what it cost.
	Run Run `pb:",set"`
	// Rules are the operator's numbers.
	Rules RiskRules `pb:",set"`
}

// ClaimAnalysis is a claim with its evidence, and what that makes of it.
type ClaimAnalysis struct {
	// Claim is the claim.
	Claim Claim
	// Verdict is a signal, no judgment.
	Verdict EvidenceVerdict `pb:",set"`
	// Reason says how it came about.
	Reason EvidenceReason `pb:",set"`
	// ReasonText is the same in English, with the numbers.
	ReasonText string
	// Uncertain reports whether a person should look at it.
	Uncertain bool `pb:"is_uncertain"`
	// Evidence is the evidence, best first.
	Evidence []RelatedPassage
	// Numbers are the numbers. Nil exactly where the verdict is [EvidenceNotVerified].
	Numbers *RiskNumbers
	// Budget is the verdict of the budget on the same evidence. Nil: not read.
	Budget *VerifiedClaim `pb:"-"`
	// Contradictions are the types of contradiction in the evidence, each once.
	Contradictions []Contradiction
	// Explanation is what the operator's LLM provider wrote on it. Empty: nothing.
	Explanation string
}

// RelatedPassage is a passage of the corpus, and what it is to a claim.
type RelatedPassage struct {
	// Document is the document's path in the corpus.
	Document string
	// Title is its title. Empty: none is known.
	Title string
	// Text is the passage, [Start, End) its characters in the document's text.
	Text       string
	Start, End int
	// Similarity is the cosine of it and the claim, in [-1, 1]. Nil: it was found
	// by its words.
	Similarity *float64
	// Dated is the day that the document speaks of. Zero: not known.
	Dated time.Time
	// DatedBy is what told the day, such as "front matter" or "file time".
	DatedBy string
	// Old reports whether that day is longer ago than the operator lets go unmarked.
	Old bool `pb:"is_old"`
	// Relation is what it is to the claim.
	Relation Relation `pb:",set"`
	// Sentence is the sentence of it that speaks of the claim most.
	Sentence string
	// DecidedBy says who found the relation.
	DecidedBy RelationDecidedBy `pb:",set"`
	// Contradiction says what differs, with [RelationContradicts].
	Contradiction Contradiction
	// Detail is the same in English. Empty: no rule found what differs.
	Detail string
	// Stance is the model's choice on the passage. Nil: not read.
	Stance *Stance
}

// RiskNumbers are the numbers behind a verdict, all in [0, 1]. They are
// heuristics.
type RiskNumbers struct {
	// EvidenceStrength says how far the evidence carries the claim, StrengthLow
	// and StrengthHigh the same with all that the model leaves open counted
	// against the claim, and for it.
	EvidenceStrength, StrengthLow, StrengthHigh float64 `pb:",share"`
	// RawConfidence says how sure the claim is without any evidence.
	RawConfidence float64 `pb:",share"`
	// RawSource says whose number that is.
	RawSource RawConfidenceSource `pb:",set"`
	// Penalties are taken off it.
	Penalties []AppliedPenalty
	// CalibratedConfidence is what is left.
	CalibratedConfidence float64 `pb:",share"`
	// Risk is the risk of believing the claim.
	Risk float64 `pb:",share"`
}

// AppliedPenalty is a penalty that applies to a claim; Points are in [0, 1].
type AppliedPenalty struct {
	Penalty Penalty `pb:",set"`
	Points  float64 `pb:",share"`
}

// RiskRules are the operator's numbers, all in [0, 1].
type RiskRules struct {
	NoEvidencePenalty, ContradictionPenalty, WeakEvidencePenalty, VagueLanguagePenalty float64 `pb:",share"`
	// HallucinationThreshold is the strength below which a claim is
	// [EvidenceHallucinated], GroundedThreshold that above which it is
	// [EvidenceGrounded], if nothing contradicts.
	HallucinationThreshold, GroundedThreshold float64 `pb:",share"`
	// RawWeight is the weight of raw confidence in the risk.
	RawWeight float64 `pb:",share"`
}

// EvidenceVerdict is what the evidence of a corpus makes of a claim. A newer
// server may send others than those named here.
type EvidenceVerdict string

const (
	// EvidenceGrounded: the evidence is strong, and nothing contradicts.
	EvidenceGrounded EvidenceVerdict = "GROUNDED"
	// EvidenceWeak: between the thresholds, or above them with a contradiction.
	EvidenceWeak EvidenceVerdict = "WEAK"
	// EvidenceHallucinated: the corpus contradicts the claim, or does not carry
	// it. The claim may be true all the same.
	EvidenceHallucinated EvidenceVerdict = "HALLUCINATED"
	// EvidenceNotVerified: nothing is known.
	EvidenceNotVerified EvidenceVerdict = "NOT_VERIFIED"
)

// EvidenceReason says how an [EvidenceVerdict] came about: its name in the
// contract without the prefix EVIDENCE_REASON_, such as "NO_EVIDENCE".
type EvidenceReason string

// Relation is what a passage is to a claim. A newer server may send others than
// those named here.
type Relation string

const (
	// RelationSupports: it states the claim.
	RelationSupports Relation = "SUPPORTS"
	// RelationWeakSupport: it states a part of it, or makes it likely.
	RelationWeakSupport Relation = "WEAK_SUPPORT"
	// RelationContradicts: it says otherwise.
	RelationContradicts Relation = "CONTRADICTS"
	// RelationUnrelated: it does not speak of it.
	RelationUnrelated Relation = "UNRELATED"
	// RelationUnread: nothing is known.
	RelationUnread Relation = "UNREAD"
)

// Contradiction says what differs between a claim and evidence against it. A
// newer server may send others than those named here.
type Contradiction string

const (
	// ContradictionDirectNegation: one of the two denies what the other says.
	ContradictionDirectNegation Contradiction = "DIRECT_NEGATION"
	// ContradictionNumeric: another number.
	ContradictionNumeric Contradiction = "NUMERIC"
	// ContradictionTemporal: another year or date.
	ContradictionTemporal Contradiction = "TEMPORAL"
	// ContradictionEntity: another name.
	ContradictionEntity Contradiction = "ENTITY"
)

// RelationDecidedBy says who found a relation: "MODEL" or "RULE".
type RelationDecidedBy string

// RawConfidenceSource says where a raw confidence is from: "TEXT", "PLAIN" (the
// text states none) or "MODEL".
type RawConfidenceSource string

// Penalty is something that is taken off a raw confidence: "NO_EVIDENCE",
// "CONTRADICTION", "WEAK_EVIDENCE" or "VAGUE_LANGUAGE".
type Penalty string

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
