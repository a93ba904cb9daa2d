package groundwire

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// The structs that callers give, and the requests that they fill.
var givenStructs = []struct {
	from any
	into proto.Message
}{
	{AnswerRequest{}, &pb.VerifyAnswerRequest{}},
	{ClaimInput{}, &pb.ClaimInput{}},
	{Exchange{}, &pb.AssessResponseRequest{}},
	{ExtractOptions{}, &pb.ExtractOptions{}},
	{Feedback{}, &pb.RecordFeedbackRequest{}},
	{Output{}, &pb.SubmitVerificationRequest{}},
	{Search{}, &pb.SearchCorpusRequest{}},
	{SimilarityRequest{}, &pb.CheckSimilarityRequest{}},
	{Text{}, &pb.AnalyzeTextRequest{}},
	{Trace{}, &pb.AuditTraceRequest{}},
}

// The structs that callers get, and the responses that fill them.
var gotStructs = []struct {
	into any
	from proto.Message
}{
	{AuditedStep{}, &pb.StepAudit{}},
	{CheckedFact{}, &pb.CheckedFact{}},
	{CheckedFacts{}, &pb.CheckFactsResponse{}},
	{Claim{}, &pb.Claim{}},
	{ClaimAnalysis{}, &pb.ClaimAnalysis{}},
	{CorpusAnalysis{}, &pb.AnalyzeTextResponse{}},
	{CorpusSearch{}, &pb.SearchCorpusResponse{}},
	{ErasedDetections{}, &pb.EraseDetectionsResponse{}},
	{Estimate{}, &pb.Estimate{}},
	{ExtractedClaims{}, &pb.ExtractClaimsResponse{}},
	{Extraction{}, &pb.Extraction{}},
	{PostHoc{}, &pb.PostHoc{}},
	{Report{}, &pb.VerifyAnswerResponse{}},
	{ResponseAssessment{}, &pb.AssessResponseResponse{}},
	{ServerInfo{}, &pb.GetServerInfoResponse{}},
	{SimilarityResult{}, &pb.CheckSimilarityResponse{}},
	{TraceAudit{}, &pb.AuditTraceResponse{}},
	{VerificationStatus{}, &pb.VerificationStatus{}},
	{VerifiedClaim{}, &pb.ClaimVerdict{}},
	{VerifiedClaims{}, &pb.VerifyClaimsResponse{}},
	{VerifiedOutput{}, &pb.VerifiedOutput{}},
}

// filledIn makes a value in which nothing is empty, so that each field is looked at.
func filledIn(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		filledIn(value.Elem())
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		filledIn(value.Index(0))
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				filledIn(value.Field(i))
			}
		}
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Float64:
		value.SetFloat(1)
	case reflect.String:
		value.SetString("1")
	}
}

// walk pairs the fields of a result with those of its message, and so on within them.
func walk(into reflect.Type, from protoreflect.MessageDescriptor) {
	for _, f := range fieldsOf(into, from) {
		kind := into.Field(f.index).Type
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Struct && f.desc.Kind() == protoreflect.MessageKind && kind != reflect.TypeFor[Span]() {
			walk(kind, f.desc.Message())
		}
	}
}

func TestEachFieldOfARequestAndAResultHasItsEncoding(t *testing.T) {
	for _, each := range givenStructs {
		t.Run(reflect.TypeOf(each.from).Name(), func(t *testing.T) {
			from := reflect.New(reflect.TypeOf(each.from)).Elem()
			filledIn(from)
			(&writing{}).fill(each.into, from.Interface())
		})
	}
	for _, each := range gotStructs {
		t.Run(reflect.TypeOf(each.into).Name(), func(*testing.T) {
			walk(reflect.TypeOf(each.into), each.from.ProtoReflect().Descriptor())
		})
	}
}

// mustPanic fails the test unless the call panics, and names the field.
func mustPanic(t *testing.T, name string, call func()) {
	t.Helper()
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, name) {
			t.Errorf("got %q, which does not name %s", text, name)
		}
	}()
	call()
}

func TestATagWithAnUnknownCheckPanics(t *testing.T) {
	mustPanic(t, "Confidence", func() {
		fieldsOf(reflect.TypeOf(struct {
			Confidence float64 `pb:",shares"`
		}{}), (&pb.Claim{}).ProtoReflect().Descriptor())
	})
}

func TestAKindOfFieldThatNoRequestHasPanics(t *testing.T) {
	mustPanic(t, "computed_tokens", func() {
		(&writing{}).fill(&pb.SharedUsage{}, struct{ ComputedTokens int64 }{1})
	})
}
