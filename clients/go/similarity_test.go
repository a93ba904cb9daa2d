package groundwire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scriptedSimilarity is the part of the scripted server that compares.
type scriptedSimilarity struct {
	pb.UnimplementedSimilarityServer
	check func(context.Context, *pb.CheckSimilarityRequest) (*pb.CheckSimilarityResponse, error)
}

func (s *scriptedSimilarity) CheckSimilarity(ctx context.Context, r *pb.CheckSimilarityRequest) (*pb.CheckSimilarityResponse, error) {
	return s.check(ctx, r)
}

// compared is a report on "It rained. It snowed.", of which the first is supported.
func compared() *pb.CheckSimilarityResponse {
	return &pb.CheckSimilarityResponse{
		Sentences: []*pb.ComparedSentence{
			{Text: "It rained.", Span: &pb.Span{Start: 0, End: 10}, Similarity: 0.75, ContextIndex: 1, Supported: true},
			{Text: "It snowed.", Span: &pb.Span{Start: 11, End: 21}, Similarity: -0.25},
		},
		ShortSentences: 1, HallucinationScore: new(0.5), Threshold: 0.6, Embedder: "tiny",
		TotalDuration: durationpb.New(2 * time.Second),
	}
}

// comparing is a server that gives this report to every call, and keeps the request.
func comparing(response *pb.CheckSimilarityResponse, sent **pb.CheckSimilarityRequest) *scripted {
	return &scripted{similarity: scriptedSimilarity{check: giving(response, sent)}}
}

var rain = groundwire.SimilarityRequest{Answer: "It rained. It snowed.", Contexts: []string{"a", "b"}}

func TestCheckSimilaritySendsEveryField(t *testing.T) {
	var sent *pb.CheckSimilarityRequest
	client := connect(t, comparing(compared(), &sent))
	request := rain
	request.Threshold = new(0.6)
	if _, err := client.CheckSimilarity(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	want := &pb.CheckSimilarityRequest{Answer: rain.Answer, Contexts: rain.Contexts, Threshold: new(0.6)}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v, not %v", sent, want)
	}
}

func TestAScoreOfNoSentenceIsNil(t *testing.T) {
	response := compared()
	response.Sentences, response.HallucinationScore = nil, nil
	got, err := connect(t, comparing(response, nil)).CheckSimilarity(t.Context(), rain)
	if err != nil || got.HallucinationScore != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestATextThatIsNoUnicodeIsNotSent(t *testing.T) {
	client := connect(t, &scripted{})
	_, err := client.CheckSimilarity(t.Context(), groundwire.SimilarityRequest{Answer: "a", Contexts: []string{"b", "\xff"}})
	var failed *groundwire.Error
	if !errors.As(err, &failed) || failed.Violations[0].Field != "contexts[1]" {
		t.Errorf("got %v", err)
	}
}
