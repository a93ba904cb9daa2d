package groundwire

import (
	"context"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// scoreTolerance is how far a score may be from the share of its sentences.
const scoreTolerance = 1e-9

// SimilarityRequest is an answer to compare with the texts that it was given.
type SimilarityRequest struct {
	// Answer has at least one visible character and at most
	// [Limits.MaxTextCharacters].
	Answer string
	// Contexts are the texts, 1 to [Limits.MaxSources].
	Contexts []string
	// Threshold is the cosine from which a sentence counts as supported, in
	// [0, 1]; sensible from .55 to .70. Nil: the server's.
	Threshold *float64
}

// SimilarityResult is the answer to [Client.CheckSimilarity].
type SimilarityResult struct {
	// Sentences are those of at least 10 characters, in their order.
	Sentences []ComparedSentence
	// ShortSentences is how many were left out, since they are shorter.
	ShortSentences int
	// HallucinationScore is the share of the compared sentences that is not
	// supported, in [0, 1]. Nil: no sentence was compared, and nothing is known.
	HallucinationScore *float64
	// Threshold is the cosine from which a sentence counted as supported.
	Threshold float64 `pb:",share"`
	// Embedder is what made the vectors. Cosines of two embedders do not compare.
	Embedder string
	// Total is how long the call took in the server.
	Total time.Duration `pb:"total_duration,set"`
}

// ComparedSentence is a sentence with what is nearest to it.
type ComparedSentence struct {
	// Text is the sentence, with single spaces, without marks of emphasis.
	Text string
	// Span is where it stands in the answer.
	Span Span
	// Similarity is the largest cosine of its vector with that of a context, in
	// [-1, 1].
	Similarity float64 `pb:",difference"`
	// ContextIndex is the index of that context in the request.
	ContextIndex int
	// Supported reports whether the similarity is at least the threshold. It does
	// not say that the context carries the sentence.
	Supported bool
}

// CheckSimilarity says which sentences of an answer are like none of the texts
// that it was given. It is fast, and no verdict: a sentence with another number,
// or one that says the opposite, is mostly as near to a text as one that repeats
// it. [Client.VerifyAnswer] reads what sentences mean.
//
// Errors are of type [*Error]; errors.Is(err, [ErrNotEnabled]) holds where the
// server's operator has not switched similarity on.
func (c *Client) CheckSimilarity(ctx context.Context, request SimilarityRequest) (*SimilarityResult, error) {
	w, message := writing{}, &pb.CheckSimilarityRequest{}
	w.fill(message, request)
	if err := w.done(); err != nil {
		return nil, err
	}
	return call(ctx, c, c.similarity.CheckSimilarity, message, func(response *pb.CheckSimilarityResponse) (*SimilarityResult, error) {
		return newSimilarityResult(response, request)
	})
}

// newSimilarityResult reads a report, whose score has to follow from its sentences.
func newSimilarityResult(m *pb.CheckSimilarityResponse, request SimilarityRequest) (*SimilarityResult, error) {
	r := &reading{at: "the response", characters: utf8.RuneCountInString(request.Answer)}
	result := &SimilarityResult{}
	r.fill(result, m)
	unsupported := 0
	for i, compared := range result.Sentences {
		r.at = fmt.Sprintf("sentence %d", i)
		if compared.Supported != (compared.Similarity >= result.Threshold) {
			r.breach("supported is %v for %v", compared.Supported, compared.Similarity)
		}
		if compared.ContextIndex < 0 || compared.ContextIndex >= len(request.Contexts) {
			r.breach("its context is %d of %d", compared.ContextIndex, len(request.Contexts))
		}
		if !compared.Supported {
			unsupported++
		}
	}
	r.at = "the score"
	switch told := result.HallucinationScore; {
	case len(result.Sentences) == 0:
		if told != nil {
			r.breach("it is %v of no sentence", *told)
		}
	case told == nil:
		r.breach("it is missing")
	default:
		own := float64(unsupported) / float64(len(result.Sentences))
		if !(math.Abs(*told-own) <= scoreTolerance) {
			r.breach("it is %v, by the sentences %v", *told, own)
		}
	}
	return done(r, result)
}
