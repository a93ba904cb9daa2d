package groundwire_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

func TestExtractClaimsSendsEveryField(t *testing.T) {
	var sent *pb.ExtractClaimsRequest
	client := connect(t, detecting(scriptedDetection{
		extract: func(_ context.Context, r *pb.ExtractClaimsRequest) (*pb.ExtractClaimsResponse, error) {
			sent = r
			return &pb.ExtractClaimsResponse{Language: "en", Extraction: &pb.Extraction{
				Extractor: pb.Extractor_EXTRACTOR_RULES, Fallback: pb.ExtractorFallback_EXTRACTOR_FALLBACK_CUT_SHORT,
				DroppedClaims: 3, RestoredClaims: 2, Backend: "external", Model: "large",
			}, Claims: []*pb.Claim{{
				Content: "Probably é.", Span: &pb.Span{Start: 0, End: 15}, Language: "en",
				Citations:  []*pb.Citation{{Span: &pb.Span{Start: 10, End: 14}, Ids: []string{"S0", "a", "S0"}}},
				Confidence: new(0.7), ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_INFERRED,
				NonAssertiveReason: pb.NonAssertiveReason_NON_ASSERTIVE_REASON_HEDGED,
			}}}, nil
		},
	}))
	options := groundwire.ExtractOptions{
		CitationStyles:   []groundwire.CitationStyle{groundwire.CitationCaret, groundwire.CitationLenticular},
		CitationPrefixes: []string{"S", ""}, MinAssertionConfidence: new(0.8), KeepCompounds: true,
		Extractor: groundwire.ExtractorModel, KnownIDs: []string{"b.pdf"},
	}
	text := "Probably é[S0]." // 15 characters in 16 bytes
	got, err := client.ExtractClaims(t.Context(), text, options, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	wantSent := &pb.ExtractClaimsRequest{
		Text: text, SourceIds: []string{"a", "b"},
		Options: &pb.ExtractOptions{
			CitationStyles: []pb.CitationStyle{
				pb.CitationStyle_CITATION_STYLE_CARET, pb.CitationStyle_CITATION_STYLE_LENTICULAR,
			},
			CitationPrefixes: []string{"S", ""}, MinAssertionConfidence: new(0.8), KeepCompounds: true,
			Extractor: pb.Extractor_EXTRACTOR_MODEL, KnownIds: []string{"b.pdf"},
		},
	}
	if !proto.Equal(sent, wantSent) {
		t.Errorf("sent %v\nwant %v", sent, wantSent)
	}
	claim := got.Claims[0]
	input := groundwire.ClaimInput{Text: "Probably é.", CitedIDs: []string{"S0", "a"}, Confidence: new(0.7)}
	if !reflect.DeepEqual(claim.Input(), input) {
		t.Errorf("got  %+v\nwant %+v", claim.Input(), input)
	}
	claim.ConfidenceSource = groundwire.ConfidenceDefault
	if plain := claim.Input(); plain.Confidence != nil {
		t.Errorf("a default became the request's own: %v", *plain.Confidence)
	}
}

func TestSpansCountCharacters(t *testing.T) {
	text := "né[S0] שלום"
	span := groundwire.SpanOfBytes(text, 3, 7)
	if span != (groundwire.Span{Start: 2, End: 6}) || span.Of(text) != "[S0]" {
		t.Errorf("got %+v, %q", span, span.Of(text))
	}
	if end := (groundwire.Span{Start: 7, End: 99}).Of(text); end != "שלום" {
		t.Errorf("got %q", end)
	}
}

func TestVerifyClaimsSendsEveryField(t *testing.T) {
	var sent *pb.VerifyClaimsRequest
	client := connect(t, detecting(scriptedDetection{
		claims: func(_ context.Context, r *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) {
			sent = r
			return &pb.VerifyClaimsResponse{Verdicts: []*pb.ClaimVerdict{supported()}, Run: done()}, nil
		},
	}))
	claims := []groundwire.ClaimInput{{Text: "a", CitedIDs: []string{"r"}, Confidence: new(0.8)}}
	span := groundwire.Span{Start: 4, End: 11}
	evidence := groundwire.ContextEvidence("the context", groundwire.Range{ID: "r", Span: span})
	options := groundwire.VerifyOptions{
		Policy: groundwire.PolicyGroundingScore, Thresholds: groundwire.Thresholds{PriorMargin: new(0.0), MaxContradicted: new(2)},
		Strictness: groundwire.StrictnessLenient,
		Marker:     new(""), AttributeCitations: true,
		MaxClaims: new(3), MaxContradicted: new(0), MinClaimCharacters: new(0), IncludeNonAssertive: true, Backend: "small",
		SkipResultCache: true, SplitLongContext: true, SkipNonEvidence: new(false),
		Read: groundwire.ReadPassages, Explain: true,
	}
	if _, err := client.VerifyClaims(t.Context(), claims, evidence, options); err != nil {
		t.Fatal(err)
	}
	want := &pb.VerifyClaimsRequest{
		Claims: []*pb.ClaimInput{{Text: "a", CitedIds: []string{"r"}, Confidence: new(0.8)}},
		Evidence: &pb.Evidence{
			Context: "the context",
			Sources: []*pb.Source{{Id: "r", Kind: &pb.Source_Range{Range: &pb.Span{Start: 4, End: 11}}}},
		},
		Options: &pb.VerifyOptions{
			Policy: pb.Policy_POLICY_GROUNDING_SCORE, Thresholds: &pb.Thresholds{PriorMargin: new(0.0), MaxContradicted: new(int32(2))},
			Strictness: pb.Strictness_STRICTNESS_LENIENT,
			Marker:     new(""), AttributeCitations: true,
			MaxClaims: new(int32(3)), MaxContradicted: new(int32(0)), MinClaimCharacters: new(int32(0)), IncludeNonAssertive: true, Backend: "small",
			SkipResultCache: true, SplitLongContext: true, SkipNonEvidence: new(false),
			Read: pb.Read_READ_PASSAGES, Explain: true,
		},
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v\nwant %v", sent, want)
	}
}

func TestAMiscitedClaimNamesTheSourceThatCarriesIt(t *testing.T) {
	got, err := verify(t, miscited())
	if err != nil {
		t.Fatal(err)
	}
	claim := got.Claims[0]
	want := []groundwire.OtherSource{{ID: "S1", Probability: new(0.95), Carries: true}, {ID: "S2"}}
	if claim.Verdict != groundwire.VerdictMiscited || claim.ClosedBook.Probability != 0.02 {
		t.Errorf("got %+v", claim)
	}
	if !reflect.DeepEqual(claim.OtherSources, want) || !reflect.DeepEqual(claim.CarriedBy(), []string{"S1"}) {
		t.Errorf("got %+v, %v", claim.OtherSources, claim.CarriedBy())
	}
}

func TestVerifyAnswerSendsEveryField(t *testing.T) {
	var sent *pb.VerifyAnswerRequest
	client := connect(t, detecting(scriptedDetection{
		answer: func(_ context.Context, r *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
			sent = r
			return report(), nil
		},
	}))
	_, err := client.VerifyAnswer(t.Context(), groundwire.AnswerRequest{
		Answer: answer, Question: "Where?", Language: "he", Correct: true,
		Turns:    []groundwire.Turn{{Role: groundwire.TurnUser, Text: "The Rhine?"}},
		Evidence: groundwire.DocumentEvidence(groundwire.Document{ID: "S0", Title: "Rhine", Text: "Alps."}),
		Extract:  groundwire.ExtractOptions{KeepCompounds: true},
		Options:  groundwire.VerifyOptions{Backend: "small"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &pb.VerifyAnswerRequest{
		Answer: answer, Question: "Where?", Language: "he", Correct: true,
		Turns: []*pb.Turn{{Role: pb.TurnRole_TURN_ROLE_USER, Text: "The Rhine?"}},
		Evidence: &pb.Evidence{Sources: []*pb.Source{{
			Id: "S0", Kind: &pb.Source_Document{Document: &pb.Document{Text: "Alps.", Title: "Rhine"}},
		}}},
		Extract: &pb.ExtractOptions{KeepCompounds: true},
		Options: &pb.VerifyOptions{Thresholds: &pb.Thresholds{}, Backend: "small"},
	}
	if !proto.Equal(sent, want) {
		t.Errorf("sent %v\nwant %v", sent, want)
	}
}

func TestAClaimOfAReportIsOneFlatValue(t *testing.T) {
	sent := edit(report(), func(r *pb.VerifyAnswerResponse) {
		r.Claims[0].Claim.Confidence = new(0.7)
		r.Claims[0].Claim.ConfidenceSource = pb.ConfidenceSource_CONFIDENCE_SOURCE_STATED
	})
	got, err := connect(t, reporting(sent)).VerifyAnswer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	claim, skipped := got.Claims[0], got.Claims[2]
	if claim.Content != sent.Claims[0].Claim.Content || claim.Verdict != groundwire.VerdictSupported {
		t.Errorf("got %+v", claim)
	}
	if claim.P1() != 0.97 || claim.P0() != 0.1 || claim.GapBits() != -0.15 {
		t.Errorf("got %v, %v, %v", claim.P1(), claim.P0(), claim.GapBits())
	}
	if claim.Confidence != 0.95 || *claim.TextConfidence != 0.7 {
		t.Errorf("got %v, %v", claim.Confidence, *claim.TextConfidence)
	}
	if skipped.NonAssertiveReason != groundwire.NonAssertiveQuestion || skipped.TextConfidence != nil {
		t.Errorf("got %+v", skipped)
	}
	if !math.IsNaN(skipped.P1()) || !math.IsNaN(skipped.P0()) || !math.IsNaN(skipped.GapBits()) {
		t.Errorf("got %v, %v, %v", skipped.P1(), skipped.P0(), skipped.GapBits())
	}
}

func TestVerifyingFailsWithTheServersError(t *testing.T) {
	refuse := status.Error(codes.InvalidArgument, "the server's text")
	client := connect(t, detecting(scriptedDetection{
		extract: func(context.Context, *pb.ExtractClaimsRequest) (*pb.ExtractClaimsResponse, error) { return nil, refuse },
		claims:  func(context.Context, *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) { return nil, refuse },
		answer:  func(context.Context, *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) { return nil, refuse },
	}))
	_, extract := client.ExtractClaims(t.Context(), "text", groundwire.ExtractOptions{})
	_, claims := client.VerifyClaims(t.Context(), nil, groundwire.Evidence{}, groundwire.VerifyOptions{})
	_, whole := client.VerifyAnswer(t.Context(), request)
	for _, err := range []error{extract, claims, whole} {
		if !errors.Is(err, groundwire.ErrInvalidRequest) {
			t.Errorf("got %v", err)
		}
	}
}

func TestVerifyAnswerNamesACorpus(t *testing.T) {
	var sent *pb.VerifyAnswerRequest
	response := report()
	client := connect(t, detecting(scriptedDetection{
		answer: func(_ context.Context, r *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
			sent = r
			return response, nil
		},
	}))
	_, err := client.VerifyAnswer(t.Context(), groundwire.AnswerRequest{Answer: answer, Corpus: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	if sent.GetCorpus() != "notes" || len(sent.GetEvidence().GetSources()) != 0 {
		t.Errorf("sent %v", sent)
	}
}
