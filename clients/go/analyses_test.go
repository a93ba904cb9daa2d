package groundwire_test

import (
	"context"
	"testing"
	"time"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedCorpus is the part of the scripted server that has a corpus.
type scriptedCorpus struct {
	pb.UnimplementedCorpusVerificationServer
	analyze func(context.Context, *pb.AnalyzeTextRequest) (*pb.AnalyzeTextResponse, error)
	search  func(context.Context, *pb.SearchCorpusRequest) (*pb.SearchCorpusResponse, error)
}

func (s *scriptedCorpus) SearchCorpus(ctx context.Context, r *pb.SearchCorpusRequest) (*pb.SearchCorpusResponse, error) {
	return s.search(ctx, r)
}

func (s *scriptedCorpus) AnalyzeText(ctx context.Context, r *pb.AnalyzeTextRequest) (*pb.AnalyzeTextResponse, error) {
	return s.analyze(ctx, r)
}

const gil = "Python 3.12 removed the GIL."

// analysed is the analysis of a text whose one claim is contradicted.
func analysed() *pb.AnalyzeTextResponse {
	return &pb.AnalyzeTextResponse{
		Notice: "Verdicts are signals.", Language: "en", Corpus: "python", Run: done(),
		Rules: &pb.RiskRules{HallucinationThreshold: 0.3, GroundedThreshold: 0.7, RawWeight: 0.4},
		Claims: []*pb.ClaimAnalysis{{
			Claim: &pb.Claim{
				Content: gil, Span: &pb.Span{End: int32(len(gil))}, Confidence: new(0.95), Language: "en",
				ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_DEFAULT,
			},
			Verdict: pb.EvidenceVerdict_EVIDENCE_VERDICT_HALLUCINATED,
			Reason:  pb.EvidenceReason_EVIDENCE_REASON_CONTRADICTED,
			Numbers: &pb.RiskNumbers{
				RawConfidence: 0.95, RawSource: pb.RawConfidenceSource_RAW_CONFIDENCE_SOURCE_TEXT,
				Penalties:            []*pb.AppliedPenalty{{Penalty: pb.Penalty_PENALTY_CONTRADICTION, Points: 0.6}},
				CalibratedConfidence: 0.35, Risk: 0.98,
			},
			Evidence: []*pb.RelatedPassage{{
				Document: "gil.md", Text: "It did not.", Dated: "2024-05-01", IsOld: true, Similarity: new(0.8),
				Relation:      pb.Relation_RELATION_CONTRADICTS,
				DecidedBy:     pb.RelationDecidedBy_RELATION_DECIDED_BY_RULE,
				Contradiction: pb.Contradiction_CONTRADICTION_DIRECT_NEGATION,
			}},
			Contradictions: []pb.Contradiction{pb.Contradiction_CONTRADICTION_DIRECT_NEGATION},
			Budget:         contradicted(),
		}},
	}
}

// corpusOf is a server that gives this analysis to every call, and keeps the request.
func corpusOf(response *pb.AnalyzeTextResponse, sent **pb.AnalyzeTextRequest) *scripted {
	return &scripted{corpus: scriptedCorpus{analyze: giving(response, sent)}}
}

func TestAnalyzeTextReturnsEveryClaimWithItsEvidence(t *testing.T) {
	var sent *pb.AnalyzeTextRequest
	client := connect(t, corpusOf(analysed(), &sent))
	got, err := client.AnalyzeText(t.Context(), groundwire.Text{Content: gil, Corpus: "python"})
	if err != nil {
		t.Fatal(err)
	}
	claim := got.Claims[0]
	if claim.Verdict != groundwire.EvidenceHallucinated || claim.Reason != "CONTRADICTED" || claim.Claim.Content != gil ||
		claim.Contradictions[0] != groundwire.ContradictionDirectNegation || claim.Budget == nil {
		t.Errorf("got %+v", claim)
	}
	passage := claim.Evidence[0]
	if passage.Relation != groundwire.RelationContradicts || passage.DecidedBy != "RULE" || !passage.Old ||
		!passage.Dated.Equal(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)) || *passage.Similarity != 0.8 {
		t.Errorf("got %+v", passage)
	}
	if claim.Numbers.Risk != 0.98 || claim.Numbers.Penalties[0].Penalty != "CONTRADICTION" {
		t.Errorf("got %+v", claim.Numbers)
	}
	if got.Notice == "" || got.Corpus != "python" || got.Rules.GroundedThreshold != 0.7 || got.Run.Backend != "default" {
		t.Errorf("got %+v", got)
	}
	if sent.GetText() != gil || sent.GetCorpus() != "python" {
		t.Errorf("sent %v", sent)
	}
}

func TestSearchCorpusReturnsPassages(t *testing.T) {
	var sent *pb.SearchCorpusRequest
	client := connect(t, &scripted{corpus: scriptedCorpus{
		search: func(_ context.Context, r *pb.SearchCorpusRequest) (*pb.SearchCorpusResponse, error) {
			sent = r
			return &pb.SearchCorpusResponse{
				Corpus: "python",
				Passages: []*pb.RetrievedSource{{
					Id: "P1", Document: "gil.md", Text: "It did not.", Span: &pb.Span{End: 11}, Similarity: new(0.8),
				}},
			}, nil
		},
	}})
	got, err := client.SearchCorpus(t.Context(), groundwire.Search{Query: gil, Corpus: "python", MaxPassages: new(3)})
	if err != nil {
		t.Fatal(err)
	}
	if got.Corpus != "python" || len(got.Passages) != 1 || got.Passages[0].ID != "P1" ||
		got.Passages[0].Document != "gil.md" || *got.Passages[0].Similarity != 0.8 {
		t.Errorf("got %+v", got)
	}
	if sent.GetQuery() != gil || sent.GetCorpus() != "python" || sent.GetMaxPassages() != 3 {
		t.Errorf("sent %v", sent)
	}
}
