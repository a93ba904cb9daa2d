package groundwire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"google.golang.org/grpc/metadata"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// sharedHeader is what both clients agree on; the tests of the Python client
// read the same file.
type sharedHeader struct {
	Header  string
	Vectors []struct {
		Texts []string
		// Value is nil where there is no context.
		Value *string
	}
}

func readSharedHeader(t *testing.T) sharedHeader {
	t.Helper()
	text, err := os.ReadFile("../../tests/client/context_header.json")
	if err != nil {
		t.Fatal(err)
	}
	var shared sharedHeader
	if err := json.Unmarshal(text, &shared); err != nil {
		t.Fatal(err)
	}
	return shared
}

func TestTheContextHeaderIsTheHashThatBothClientsAgreeOn(t *testing.T) {
	shared := readSharedHeader(t)
	for i, vector := range shared.Vectors {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var sent []string
			client := connect(t, detecting(scriptedDetection{
				claims: func(ctx context.Context, _ *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) {
					sent = metadata.ValueFromIncomingContext(ctx, shared.Header)
					return nil, fmt.Errorf("this test looks at the request alone")
				},
			}))
			var documents []groundwire.Document
			for _, text := range vector.Texts {
				documents = append(documents, groundwire.Document{ID: "S0", Text: text})
			}
			_, err := client.VerifyClaims(t.Context(), nil, groundwire.DocumentEvidence(documents...), groundwire.VerifyOptions{})
			if err == nil {
				t.Fatal("the call did not arrive")
			}
			var want []string
			if vector.Value != nil {
				want = []string{*vector.Value}
			}
			if !slices.Equal(sent, want) {
				t.Errorf("got %q, want %q", sent, want)
			}
		})
	}
}

func TestEveryCallWithOneContextSendsTheSameHash(t *testing.T) {
	shared := readSharedHeader(t)
	text, want := shared.Vectors[0].Texts[0], *shared.Vectors[0].Value
	var sent []string
	see := func(ctx context.Context) error {
		sent = metadata.ValueFromIncomingContext(ctx, shared.Header)
		return fmt.Errorf("this test looks at the request alone")
	}
	server := &scripted{
		estimate: func(ctx context.Context, _ *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			return nil, see(ctx)
		},
		batch: func(ctx context.Context, _ *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			return nil, see(ctx)
		},
		detection: scriptedDetection{
			answer: func(ctx context.Context, _ *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
				return nil, see(ctx)
			},
			stream: func(_ *pb.VerifyAnswerStreamRequest, stream pieceStream) error { return see(stream.Context()) },
			draft:  func(stream draftStream) error { return see(stream.Context()) },
		},
		traces: scriptedTraces{audit: func(ctx context.Context, _ *pb.AuditTraceRequest) (*pb.AuditTraceResponse, error) {
			return nil, see(ctx)
		}},
		gate: scriptedGate{check: func(ctx context.Context, _ *pb.CheckFactsRequest) (*pb.CheckFactsResponse, error) {
			return nil, see(ctx)
		}},
		similarity: scriptedSimilarity{check: func(ctx context.Context, _ *pb.CheckSimilarityRequest) (*pb.CheckSimilarityResponse, error) {
			return nil, see(ctx)
		}},
	}
	client := connect(t, server)
	evidence := groundwire.ContextEvidence(text)
	request := groundwire.AnswerRequest{Answer: "An answer.", Evidence: evidence}
	calls := map[string]func() error{
		"Estimate": func() error {
			_, err := client.Estimate(t.Context(), "claim", text)
			return err
		},
		"Estimates": func() error {
			_, err := client.Estimates(t.Context(), []string{"claim"}, text)
			return err
		},
		"VerifyAnswer": func() error {
			_, err := client.VerifyAnswer(t.Context(), request)
			return err
		},
		"VerifyAnswerStream": func() error {
			for _, err := range client.VerifyAnswerStream(t.Context(), request) {
				return err
			}
			return nil
		},
		"VerifyDraft": func() error {
			draft, err := client.VerifyDraft(t.Context(), groundwire.DraftRequest{AnswerRequest: groundwire.AnswerRequest{Evidence: evidence}})
			if err != nil {
				return err
			}
			for _, err := range draft.Events() {
				return err
			}
			return nil
		},
		"AuditTrace": func() error {
			_, err := client.AuditTrace(t.Context(), groundwire.Trace{Steps: []string{"A step."}, Evidence: evidence})
			return err
		},
		"CheckFacts": func() error {
			_, err := client.CheckFacts(t.Context(), []groundwire.Fact{{Text: "A fact."}}, evidence)
			return err
		},
		"CheckSimilarity": func() error {
			_, err := client.CheckSimilarity(t.Context(), groundwire.SimilarityRequest{Answer: "An answer.", Contexts: []string{text}})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			sent = nil
			if err := call(); err == nil {
				t.Fatal("the call did not arrive")
			}
			if !slices.Equal(sent, []string{want}) {
				t.Errorf("got %q, want %q", sent, want)
			}
		})
	}
}
