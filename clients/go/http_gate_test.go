package groundwire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// gate sends what a handler answers only if the sources that came with it carry it.
func gate(client *groundwire.Client, timeout time.Duration, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := &heldResponse{header: http.Header{}, status: http.StatusOK}
		handler.ServeHTTP(held, r)
		var said struct {
			Answer  string
			Sources []groundwire.Document
		}
		if held.status != http.StatusOK || json.Unmarshal(held.body.Bytes(), &said) != nil {
			http.Error(w, "the handler gave no answer", http.StatusBadGateway)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		report, err := client.VerifyAnswer(ctx, groundwire.AnswerRequest{
			Answer: said.Answer, Evidence: groundwire.DocumentEvidence(said.Sources...),
		})
		switch {
		case err != nil: // out of time, refused, not reached: no verdict is not a good one
			http.Error(w, "the answer could not be verified", http.StatusServiceUnavailable)
		case !report.Summary.OverallGrounded:
			http.Error(w, report.Summary.Warning, http.StatusUnprocessableEntity)
		default:
			w.Header().Set("Content-Type", held.header.Get("Content-Type"))
			_, _ = w.Write(held.body.Bytes())
		}
	})
}

// heldResponse keeps what a handler writes, so that nothing of it is sent too early.
type heldResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (h *heldResponse) Header() http.Header            { return h.header }
func (h *heldResponse) WriteHeader(status int)         { h.status = status }
func (h *heldResponse) Write(text []byte) (int, error) { return h.body.Write(text) }

// rhineAnswer is what the handler behind the gate answers.
const rhineAnswer = `{"answer": "The Rhine rises in the Alps [S0].",` +
	` "sources": [{"id": "S0", "text": "The Rhine rises in the Swiss Alps."}]}`

// answers is a handler that gives the same answer to all.
func answers(code int, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, text)
	})
}

// judging is a server that gives this verdict to the one claim of an answer.
func judging(verdict *pb.ClaimVerdict) *scripted {
	return reporting(edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Claims = r.Claims[:1]
		r.Claims[0].Verdict = verdict
		r.Summary = &pb.AnswerSummary{TotalClaims: 1, Language: "en", VerifiedShare: 1, Warning: "1 of 1 claims is not grounded."}
		if verdict.GetGrounded() {
			r.Summary = &pb.AnswerSummary{
				TotalClaims: 1, Language: "en", VerifiedShare: 1, OverallGrounded: true, GroundedClaims: 1, GroundingRatio: 1,
			}
		}
	}))
}

// unanswered is a server that lets every call wait until its time is up.
func unanswered() *scripted {
	return detecting(scriptedDetection{
		answer: func(ctx context.Context, _ *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
}

// full is a server that takes no more calls.
func full() *scripted {
	return detecting(scriptedDetection{
		answer: func(context.Context, *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
			return nil, status.Error(codes.ResourceExhausted, "full")
		},
	})
}

func ExampleClient_VerifyAnswer_httpGate() {
	for _, server := range []*scripted{judging(supported()), judging(contradicted()), unanswered()} {
		client := exampleClient(server)
		chatbot := gate(client, 100*time.Millisecond, answers(http.StatusOK, rhineAnswer))
		sent := httptest.NewRecorder()
		chatbot.ServeHTTP(sent, httptest.NewRequest(http.MethodPost, "/chat", nil))
		fmt.Println(sent.Code, strings.TrimSpace(sent.Body.String()))
		_ = client.Close()
	}
	// Output:
	// 200 {"answer": "The Rhine rises in the Alps [S0].", "sources": [{"id": "S0", "text": "The Rhine rises in the Swiss Alps."}]}
	// 422 1 of 1 claims is not grounded.
	// 503 the answer could not be verified
}

func TestAnHTTPGateSendsNothingThatIsNotVerified(t *testing.T) {
	for name, tried := range map[string]struct {
		server  *scripted
		handler http.Handler
		want    int
	}{
		"an answer that is not grounded": {judging(contradicted()), answers(http.StatusOK, rhineAnswer), http.StatusUnprocessableEntity},
		"a server that does not answer":  {unanswered(), answers(http.StatusOK, rhineAnswer), http.StatusServiceUnavailable},
		"a server that is full":          {full(), answers(http.StatusOK, rhineAnswer), http.StatusServiceUnavailable},
		"an answer in another form":      {judging(supported()), answers(http.StatusOK, "The Rhine rises."), http.StatusBadGateway},
		"a handler that fails":           {judging(supported()), answers(http.StatusTeapot, rhineAnswer), http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			sent := httptest.NewRecorder()
			guarded := gate(connect(t, tried.server), 100*time.Millisecond, tried.handler)
			guarded.ServeHTTP(sent, httptest.NewRequest(http.MethodPost, "/chat", nil))
			if sent.Code != tried.want || strings.Contains(sent.Body.String(), "Rhine") {
				t.Errorf("got %d, %q", sent.Code, sent.Body)
			}
		})
	}
}

func TestTheReadmeShowsTheGateThatIsTestedHere(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	tested, err := os.ReadFile("http_gate_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n// gate ")
	shown, _, found := strings.Cut(rest, "```")
	if !found || !strings.Contains(string(tested), "// gate "+shown) {
		t.Error("README.md shows another gate")
	}
}
