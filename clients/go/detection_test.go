package groundwire_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

func TestExtractClaimsReturnsEveryField(t *testing.T) {
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
	claim := groundwire.Claim{
		Content: "Probably é.", Span: groundwire.Span{Start: 0, End: 15}, Language: "en",
		Citations:  []groundwire.Citation{{Span: groundwire.Span{Start: 10, End: 14}, IDs: []string{"S0", "a", "S0"}}},
		Confidence: 0.7, ConfidenceSource: groundwire.ConfidenceInferred,
		NonAssertiveReason: groundwire.NonAssertiveHedged,
	}
	extraction := groundwire.Extraction{
		Extractor: groundwire.ExtractorRules, Fallback: groundwire.FallbackCutShort,
		DroppedClaims: 3, RestoredClaims: 2, Backend: "external", Model: "large",
	}
	want := &groundwire.ExtractedClaims{Claims: []groundwire.Claim{claim}, Language: "en", Extraction: extraction}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	input := groundwire.ClaimInput{Text: "Probably é.", CitedIDs: []string{"S0", "a"}, Confidence: new(0.7)}
	if !reflect.DeepEqual(got.Claims[0].Input(), input) {
		t.Errorf("got  %+v\nwant %+v", got.Claims[0].Input(), input)
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

func TestVerifyClaimsReturnsEveryField(t *testing.T) {
	rich := edit(contradicted(), func(v *pb.ClaimVerdict) {
		v.Warning, v.Budget.RequiredExceedsObserved = "Contradicted.", true
		v.CitationRoles = []*pb.CitationRole{
			{Id: "S0", Role: pb.Role_ROLE_DECORATION, Drop: new(-0.1), Alone: new(0.0)}, {Id: "S1"},
		}
		v.PriorTitleIds = []string{"S0"}
		v.UnstatedValues = []string{"50,000"}
		v.ReadPassages = []*pb.ReadPassage{{SourceId: "S0", Span: &pb.Span{Start: 4, End: 90}}}
		v.DecidingPassages = []*pb.DecidingPassage{decidingPassage()}
		v.UnsupportedSpans = []*pb.UnsupportedSpan{
			{Span: &pb.Span{Start: 0, End: 1}, Kind: pb.SpanKind_SPAN_KIND_NUMBER}, {Span: &pb.Span{Start: 0, End: 1}},
		}
		v.Explained = true
	})
	claims := []groundwire.ClaimInput{{Text: "a"}, {Text: "b"}}
	client := connect(t, verdicts(supported(), rich))
	got, err := client.VerifyClaims(t.Context(), claims, groundwire.Evidence{}, groundwire.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Claims) != 2 || !got.Claims[0].Grounded || got.Claims[0].P1() != 0.97 {
		t.Fatalf("got %+v", got)
	}
	v := got.Claims[1]
	v.Posterior, v.Prior = nil, nil // They hold NaN, which equals nothing.
	want := groundwire.VerifiedClaim{
		Content: "b",
		Verdict: groundwire.VerdictContradicted, Reason: groundwire.VerdictReasonModelSaysNo,
		ReasonText: "4.1 bits cover 3.9", Warning: "Contradicted.",
		CitationStatus: groundwire.CitationsKnown, CitedIDs: []string{"S0"},
		Confidence: 0.95, ConfidenceSource: groundwire.ConfidenceOfRequest,
		Budget: &groundwire.Budget{
			RequiredBits: 2.88, ObservedBits: 3.03, GapBits: -0.15, RequiredExceedsObserved: true,
			RequiredNats: 2, ObservedNats: 2.1, GapNats: -0.1,
		},
		GroundingScore: new(0.9), EvidenceUse: new(0.87),
		Stance: &groundwire.Stance{Yes: 0.05, No: 0.9, Unsure: 0.05, LabelMass: 0.8},
		CitationRoles: []groundwire.CitationRole{
			{ID: "S0", Role: groundwire.RoleDecoration, Drop: new(-0.1), Alone: new(0.0)}, {ID: "S1"},
		},
		PriorTitleIDs:  []string{"S0"},
		UnstatedValues: []string{"50,000"},
		ReadPassages:   []groundwire.ReadPassage{{SourceID: "S0", Span: groundwire.Span{Start: 4, End: 90}}},
		DecidingPassages: []groundwire.DecidingPassage{{
			SourceID: "S1", Span: groundwire.Span{Start: 4, End: 8}, Text: "text",
			Relation: groundwire.PassageContradicts, Probability: new(0.25),
		}},
		UnsupportedSpans: []groundwire.UnsupportedSpan{
			{Span: groundwire.Span{Start: 0, End: 1}, Kind: groundwire.SpanNumber}, {Span: groundwire.Span{Start: 0, End: 1}},
		},
		Explained: true,
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v", v, want)
	}
}

// decidingPassage is a sentence that speaks against a claim.
func decidingPassage() *pb.DecidingPassage {
	return &pb.DecidingPassage{
		SourceId: "S1", Span: &pb.Span{Start: 4, End: 8}, Text: "text",
		Relation: pb.PassageRelation_PASSAGE_RELATION_CONTRADICTS, Probability: new(0.25),
	}
}

func TestASupportedClaimNamesTheSourcesThatDisagree(t *testing.T) {
	got, err := verify(t, edit(supported(), func(v *pb.ClaimVerdict) {
		v.Conflicts = []*pb.SourceConflict{{Passage: decidingPassage(), NewerId: "S1"}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	conflicts := got.Claims[0].Conflicts
	if len(conflicts) != 1 || conflicts[0].NewerID != "S1" || conflicts[0].Passage.SourceID != "S1" {
		t.Errorf("got %+v", conflicts)
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

func TestACorroboratedClaimIsSupportedAndNamesWhatSaysTheSame(t *testing.T) {
	got, err := verify(t, corroborated())
	if err != nil {
		t.Fatal(err)
	}
	claim := got.Claims[0]
	if claim.Verdict != groundwire.VerdictSupported || claim.CitedAlone.Probability != 0.97 {
		t.Errorf("got %+v", claim)
	}
	if !reflect.DeepEqual(claim.CarriedBy(), []string{"S1"}) {
		t.Errorf("got %v", claim.CarriedBy())
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

// corrected is the report with a correction.
func corrected() *pb.VerifyAnswerResponse {
	m := report()
	m.Correction = &pb.Correction{
		CorrectedAnswer: "right",
		Edits: []*pb.Edit{
			{
				Span: &pb.Span{Start: 0, End: 3}, Replacement: "one", Kind: pb.EditKind_EDIT_KIND_VALUE_REPLACED,
				SourceId: "S0", SourceSpan: &pb.Span{Start: 4, End: 900}, ClaimIndex: 1, Probability: new(0.75),
			},
			{Span: &pb.Span{Start: 3, End: 5}, Kind: pb.EditKind_EDIT_KIND_SENTENCE_LEFT_OUT},
		},
		Summary:       &pb.AnswerSummary{GroundedClaims: 1, TotalClaims: 1, GroundingRatio: 1},
		UntriedClaims: []int32{1},
	}
	return m
}

func TestACorrectionIsReturnedWithItsEdits(t *testing.T) {
	got, err := connect(t, reporting(corrected())).VerifyAnswer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	want := &groundwire.Correction{
		CorrectedAnswer: "right",
		Edits: []groundwire.Edit{
			{
				Span: groundwire.Span{Start: 0, End: 3}, Replacement: "one", Kind: groundwire.EditValueReplaced,
				SourceID: "S0", SourceSpan: &groundwire.Span{Start: 4, End: 900}, ClaimIndex: 1, Probability: new(0.75),
			},
			{Span: groundwire.Span{Start: 3, End: 5}, Kind: groundwire.EditSentenceLeftOut},
		},
		Summary:       &groundwire.AnswerSummary{GroundedClaims: 1, TotalClaims: 1, GroundingRatio: 1},
		UntriedClaims: []int{1},
	}
	if !reflect.DeepEqual(got.Correction, want) {
		t.Errorf("got  %+v\nwant %+v", got.Correction, want)
	}
}

func TestVerifyAnswerReturnsEveryField(t *testing.T) {
	got, err := connect(t, reporting(report())).VerifyAnswer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	wantSummary := groundwire.AnswerSummary{
		GroundedClaims: 1, TotalClaims: 2, GroundingRatio: 0.5, SkippedClaims: 1,
		Warning: "1 of 2 claims is not grounded.", Language: "en",
		Unverified: []groundwire.UnverifiedClaims{
			{Reason: groundwire.VerdictReasonUnknownCitation, Claims: 1},
			{
				Reason:             groundwire.VerdictReasonNonAssertive,
				NonAssertiveReason: groundwire.NonAssertiveQuestion, Claims: 1,
			},
		},
		VerifiedShare: 0.75, UnclaimedLines: 2, ReviewOrder: []int{0, 1}, Thoughts: 1,
		Complete: true,
	}
	if !reflect.DeepEqual(got.Summary, wantSummary) {
		t.Errorf("got %+v", got.Summary)
	}
	wantRun := groundwire.Run{
		Policy: groundwire.PolicyBudget,
		Thresholds: groundwire.Thresholds{
			DefaultConfidence: new(0.95), MinPosterior: new(0.5), PriorMargin: new(0.1), MaxGapBits: new(0.0),
			MinContradiction: new(0.5), MinEvidenceUse: new(0.15), ScoreBonusPosterior: new(0.7), MinGroundingScore: new(0.45),
			MinGroundedRatio: new(0.7), MaxUnsupportedPosterior: new(0.4), MinMiscitation: new(0.3),
			MaxContradicted: new(1),
		},
		Model: "model", PromptVersion: "yes-no/1", Backend: "default",
		Usage: groundwire.SharedUsage{
			DistinctPrompts: 2, PromptTokens: 80, ComputedTokens: 60, MinimalTokens: 48, BlockTokens: 16,
		},
		Timing: groundwire.Timing{Total: 20 * time.Millisecond},
		NonEvidence: []groundwire.NonEvidence{
			{SourceID: "S0", Span: groundwire.Span{Start: 3, End: 9}, Kind: groundwire.NonAssertiveQuestion},
		},
		SkipNonEvidence: true,
		DetectionID:     detectionID,
	}
	if !reflect.DeepEqual(got.Run, wantRun) {
		t.Errorf("got  %+v\nwant %+v", got.Run, wantRun)
	}
	wantVerdicts := []groundwire.Verdict{
		groundwire.VerdictSupported, groundwire.VerdictNotVerified, groundwire.VerdictNotVerified,
	}
	var verdicts []groundwire.Verdict
	for _, claim := range got.Claims {
		verdicts = append(verdicts, claim.Verdict)
	}
	if !slices.Equal(verdicts, wantVerdicts) || got.Claims[1].Citations[0].Span.Of(answer) != "[S9]" {
		t.Errorf("got %v for %+v", verdicts, got.Claims)
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

func TestVerifyAnswerNamesACorpusAndReturnsItsPassages(t *testing.T) {
	var sent *pb.VerifyAnswerRequest
	response := report()
	response.Sources = []*pb.RetrievedSource{
		{
			Id: "P1", Document: "a.md", Title: "A", Text: "text", Span: &pb.Span{Start: 2, End: 6},
			Similarity: new(0.5), Dated: "2024-01-02", DatedBy: "front matter",
		},
		{Id: "P2", Document: "b.md", Text: "more", Span: &pb.Span{End: 4}},
	}
	client := connect(t, detecting(scriptedDetection{
		answer: func(_ context.Context, r *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
			sent = r
			return response, nil
		},
	}))
	got, err := client.VerifyAnswer(t.Context(), groundwire.AnswerRequest{Answer: answer, Corpus: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	if sent.GetCorpus() != "notes" || len(sent.GetEvidence().GetSources()) != 0 {
		t.Errorf("sent %v", sent)
	}
	want := []groundwire.RetrievedSource{
		{
			ID: "P1", Document: "a.md", Title: "A", Text: "text", Span: groundwire.Span{Start: 2, End: 6},
			Similarity: new(0.5), Dated: "2024-01-02", DatedBy: "front matter",
		},
		{ID: "P2", Document: "b.md", Text: "more", Span: groundwire.Span{End: 4}},
	}
	if !reflect.DeepEqual(got.Sources, want) {
		t.Errorf("got  %+v\nwant %+v", got.Sources, want)
	}
	response.Sources[0].Similarity = new(2.0)
	if _, err := client.VerifyAnswer(t.Context(), groundwire.AnswerRequest{Answer: answer, Corpus: "notes"}); err == nil {
		t.Error("a cosine of 2 was taken")
	}
}
