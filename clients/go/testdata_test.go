package groundwire_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

var record = flag.Bool("record", false, "write down what is read of each response")

// exchange is a call and its response in proto/testdata, which Python's tests
// read, too.
type exchange struct {
	Method  string
	Request struct {
		Claims, Steps, Contexts           json.RawMessage
		Text, Answer, Response, Query, ID string
		Facts                             []struct{ Text string }
	}
	Response any
}

func readTestdata(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "proto", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func readExchanges(t *testing.T) map[string]exchange {
	t.Helper()
	var exchanges map[string]exchange
	if err := json.Unmarshal(readTestdata(t, "responses.json"), &exchanges); err != nil {
		t.Fatal(err)
	}
	return exchanges
}

// changed is the JSON with another value where the path leads; null takes it out.
func changed(value any, path []string, to any) any {
	if len(path) == 0 {
		return to
	}
	switch value := value.(type) {
	case map[string]any:
		value[path[0]] = changed(value[path[0]], path[1:], to)
		if value[path[0]] == nil {
			delete(value, path[0])
		}
		return value
	case []any:
		index, _ := strconv.Atoi(path[0])
		switch {
		case index == len(value):
			return append(value, to)
		case len(path) == 1 && to == nil:
			return slices.Delete(value, index, index+1)
		}
		value[index] = changed(value[index], path[1:], to)
		return value
	}
	return changed(map[string]any{}, path, to)
}

// replying returns a client of a server that gives this response to every call.
func replying(t *testing.T, response proto.Message) *groundwire.Client {
	t.Helper()
	listener := bufconn.Listen(pipeBytes)
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(&emptypb.Empty{}); err != nil {
			return err
		}
		return stream.SendMsg(response)
	}))
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	client, err := groundwire.New(inMemoryTarget, groundwire.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// exchanged makes the call, which gets the response, and returns what the client
// reads of it.
func exchanged(t *testing.T, e exchange) (any, error) {
	t.Helper()
	asked := e.Request
	reply := func(m proto.Message) *groundwire.Client {
		content, err := json.Marshal(e.Response)
		if err != nil {
			t.Fatal(err)
		}
		if err := protojson.Unmarshal(content, m); err != nil {
			t.Fatal(err)
		}
		return replying(t, m)
	}
	texts := func(of json.RawMessage) (texts []string) {
		if err := json.Unmarshal(of, &texts); err != nil {
			t.Fatal(err)
		}
		return texts
	}
	switch ctx := t.Context(); e.Method {
	case "GetServerInfo":
		return reply(&pb.GetServerInfoResponse{}).ServerInfo(ctx)
	case "BatchEstimate":
		return reply(&pb.BatchEstimateResponse{}).Estimates(ctx, texts(asked.Claims), "context")
	case "ExtractClaims":
		return reply(&pb.ExtractClaimsResponse{}).ExtractClaims(ctx, asked.Text, groundwire.ExtractOptions{})
	case "VerifyClaims":
		var claims []groundwire.ClaimInput
		if err := json.Unmarshal(asked.Claims, &claims); err != nil {
			t.Fatal(err)
		}
		return reply(&pb.VerifyClaimsResponse{}).VerifyClaims(ctx, claims, groundwire.Evidence{}, groundwire.VerifyOptions{})
	case "VerifyAnswer":
		return reply(&pb.VerifyAnswerResponse{}).VerifyAnswer(ctx, groundwire.AnswerRequest{Answer: asked.Answer})
	case "AuditTrace":
		return reply(&pb.AuditTraceResponse{}).AuditTrace(ctx, groundwire.Trace{Steps: texts(asked.Steps)})
	case "CheckFacts":
		fact := groundwire.Fact{Text: asked.Facts[0].Text}
		return reply(&pb.CheckFactsResponse{}).CheckFacts(ctx, []groundwire.Fact{fact}, groundwire.Evidence{})
	case "AssessResponse":
		return reply(&pb.AssessResponseResponse{}).AssessResponse(ctx, groundwire.Exchange{Response: asked.Response})
	case "AnalyzeText":
		return reply(&pb.AnalyzeTextResponse{}).AnalyzeText(ctx, groundwire.Text{Content: asked.Text})
	case "SearchCorpus":
		return reply(&pb.SearchCorpusResponse{}).SearchCorpus(ctx, groundwire.Search{Query: asked.Query})
	case "CheckSimilarity":
		return reply(&pb.CheckSimilarityResponse{}).CheckSimilarity(
			ctx, groundwire.SimilarityRequest{Answer: asked.Answer, Contexts: texts(asked.Contexts)})
	case "GetVerification":
		return reply(&pb.GetVerificationResponse{}).GetVerification(ctx, asked.ID)
	default:
		t.Fatalf("no call of %s", e.Method)
		return nil, nil
	}
}

// told is a value as JSON can hold it, without what is not set.
func told(v reflect.Value) any {
	if text, ok := v.Interface().(fmt.Stringer); ok && v.Kind() != reflect.Pointer {
		return text.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return told(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		for field, value := range v.Fields() {
			if field.IsExported() && !value.IsZero() {
				fields[field.Name] = told(value)
			}
		}
		return fields
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = told(v.Index(i))
		}
		return list
	case reflect.Float64:
		return fmt.Sprint(v.Float()) // It may be NaN.
	}
	return v.Interface()
}

// What is read of each response is kept in testdata/read.json, anew with
// `go test -run TestAResponseThatKeeps -record`.
func TestAResponseThatKeepsTheContractIsReadAsItWasRecorded(t *testing.T) {
	kept := filepath.Join("testdata", "read.json")
	read := map[string]any{}
	for name, e := range readExchanges(t) {
		result, err := exchanged(t, e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read[name] = told(reflect.ValueOf(result))
	}
	got, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	got = append(bytes.ReplaceAll(got, []byte("},"), []byte("},\n")), '\n')
	if *record {
		if err := os.WriteFile(kept, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Split(string(want), "\n")
	for i, line := range strings.Split(string(got), "\n") {
		if i >= len(wanted) || line != wanted[i] {
			t.Fatalf("line %d of %s is now: %s", i+1, kept, line)
		}
	}
}

func TestAResponseThatBreaksTheContractIsAnInternalError(t *testing.T) {
	lines := bufio.NewScanner(bytes.NewReader(readTestdata(t, "breaches.jsonl")))
	for lines.Scan() {
		var name, what, words string
		var changes map[string]any
		if err := json.Unmarshal(lines.Bytes(), &[]any{&name, &what, &words, &changes}); err != nil {
			t.Fatal(err)
		}
		t.Run(name+", "+what, func(t *testing.T) {
			e := readExchanges(t)[name]
			for path, to := range changes {
				e.Response = changed(e.Response, strings.Split(path, "."), to)
			}
			_, err := exchanged(t, e)
			mustBreach(t, err, words)
		})
	}
}

// Python has UNKNOWN for what is not set, as for what a newer server sends.
func TestAnEnumThatIsMissingIsAnInternalError(t *testing.T) {
	for name, paths := range map[string][]string{
		"verdicts":   {"verdicts.0.verdict", "verdicts.0.reason", "verdicts.0.citation_status"},
		"report":     {"run.policy", "claims.0.claim.confidence_source", "correction.edits.0.kind"},
		"cut short":  {"summary.unverified.0.reason"},
		"trace":      {"steps.0.status"},
		"accepted":   {"facts.0.decision", "facts.0.reason"},
		"assessment": {"suggested_action"},
		"analysis":   {"claims.0.verdict", "claims.0.evidence.0.relation"},
		"output":     {"status.state"},
	} {
		for _, path := range paths {
			t.Run(name+", "+path, func(t *testing.T) {
				e, way := readExchanges(t)[name], strings.Split(path, ".")
				e.Response = changed(e.Response, way, nil)
				_, err := exchanged(t, e)
				mustBreach(t, err, way[len(way)-1]+" is missing")
			})
		}
	}
}
