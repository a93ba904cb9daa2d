package groundwire_test

import (
	"context"
	"testing"

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

// corpusOf is a server that gives this analysis to every call, and keeps the request.
func corpusOf(response *pb.AnalyzeTextResponse, sent **pb.AnalyzeTextRequest) *scripted {
	return &scripted{corpus: scriptedCorpus{analyze: giving(response, sent)}}
}

func TestAnalyzeTextSendsTheTextAndTheCorpus(t *testing.T) {
	var sent *pb.AnalyzeTextRequest
	client := connect(t, corpusOf(&pb.AnalyzeTextResponse{Notice: "Verdicts are signals.", Run: done(), Rules: &pb.RiskRules{}}, &sent))
	if _, err := client.AnalyzeText(t.Context(), groundwire.Text{Content: gil, Corpus: "python"}); err != nil {
		t.Fatal(err)
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
