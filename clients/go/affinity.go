package groundwire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// contextHeader keeps calls on one context together, where several servers stand
// behind a proxy: a server remembers the contexts that it has read. The value is
// a hash, which does not show the text; docs/replicas.md says what it is made of.
const contextHeader = "x-groundwire-context"

// contextHexDigits are 32 bits: plenty to spread contexts by, and few to
// recognise a text by.
const contextHexDigits = 8

// sendContextHash is an interceptor that adds the header to calls with one
// request and one response.
func sendContextHash(ctx context.Context, method string, request, response any, connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(withContextHash(ctx, request), method, request, response, connection, options...)
}

// withContextHash adds the header of a request, if it brings a context. Streams
// need it by themselves: an interceptor of theirs does not see the request.
func withContextHash(ctx context.Context, request any) context.Context {
	texts := contextOf(request)
	if !slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
		return ctx
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return metadata.AppendToOutgoingContext(ctx, contextHeader, hex.EncodeToString(sum[:])[:contextHexDigits])
}

// contextOf returns the texts that claims of a request are read against.
func contextOf(request any) []string {
	switch m := request.(type) {
	case *pb.EstimateProbabilityRequest:
		return []string{m.GetContext()}
	case *pb.BatchEstimateRequest:
		return []string{m.GetContext()}
	case *pb.VerifyClaimsRequest:
		return evidenceTexts(m.GetEvidence())
	case *pb.VerifyAnswerRequest:
		return evidenceTexts(m.GetEvidence())
	case *pb.VerifyAnswerStreamRequest:
		return evidenceTexts(m.GetRequest().GetEvidence())
	case *pb.VerifyDraftRequest:
		return evidenceTexts(m.GetStart().GetRequest().GetEvidence())
	case *pb.AuditTraceRequest:
		return evidenceTexts(m.GetEvidence())
	case *pb.CheckFactsRequest:
		return evidenceTexts(m.GetEvidence()...)
	case *pb.CheckSimilarityRequest:
		return m.GetContexts()
	}
	return nil
}

// evidenceTexts returns the texts of evidence, in order.
func evidenceTexts(evidence ...*pb.Evidence) []string {
	var texts []string
	for _, e := range evidence {
		if text := e.GetContext(); text != "" {
			texts = append(texts, text)
			continue
		}
		for _, source := range e.GetSources() {
			texts = append(texts, source.GetDocument().GetText())
		}
	}
	return texts
}
