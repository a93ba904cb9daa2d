package groundwire_test

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// answer is the answer that the scripted reports are about.
const answer = "The Rhine rises in the Alps [S0]. It is warm [S9]. Is it?"

// request asks for it.
var request = groundwire.AnswerRequest{
	Answer:   answer,
	Evidence: groundwire.DocumentEvidence(groundwire.Document{ID: "S0", Text: "The Rhine rises in the Swiss Alps."}),
}

// pieceStream is the server's side of a stream.
type pieceStream = grpc.ServerStreamingServer[pb.VerifyAnswerStreamResponse]

// draftStream is the server's side of a draft.
type draftStream = grpc.BidiStreamingServer[pb.VerifyDraftRequest, pb.VerifyDraftResponse]

// scriptedDetection is the part of the scripted server that verifies.
type scriptedDetection struct {
	pb.UnimplementedHallucinationDetectionServer
	extract func(context.Context, *pb.ExtractClaimsRequest) (*pb.ExtractClaimsResponse, error)
	claims  func(context.Context, *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error)
	answer  func(context.Context, *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error)
	stream  func(*pb.VerifyAnswerStreamRequest, pieceStream) error
	draft   func(draftStream) error
}

func (s *scriptedDetection) ExtractClaims(ctx context.Context, r *pb.ExtractClaimsRequest) (*pb.ExtractClaimsResponse, error) {
	return s.extract(ctx, r)
}

func (s *scriptedDetection) VerifyClaims(ctx context.Context, r *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) {
	return s.claims(ctx, r)
}

func (s *scriptedDetection) VerifyAnswer(ctx context.Context, r *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) {
	return s.answer(ctx, r)
}

func (s *scriptedDetection) VerifyAnswerStream(r *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
	return s.stream(r, stream)
}

func (s *scriptedDetection) VerifyDraft(stream draftStream) error { return s.draft(stream) }

// detecting is a server that verifies as the script says.
func detecting(s scriptedDetection) *scripted { return &scripted{detection: s} }

// verdicts is a server that gives these verdicts to every call.
func verdicts(given ...*pb.ClaimVerdict) *scripted {
	return detecting(scriptedDetection{
		claims: func(context.Context, *pb.VerifyClaimsRequest) (*pb.VerifyClaimsResponse, error) {
			return &pb.VerifyClaimsResponse{Verdicts: given, Run: done()}, nil
		},
	})
}

// reporting is a server that gives this report to every call.
func reporting(report *pb.VerifyAnswerResponse) *scripted {
	return detecting(scriptedDetection{
		answer: func(context.Context, *pb.VerifyAnswerRequest) (*pb.VerifyAnswerResponse, error) { return report, nil },
	})
}

// streaming is a server that sends these pieces and ends with the code.
func streaming(code codes.Code, pieces ...*pb.VerifyAnswerStreamResponse) *scripted {
	return detecting(scriptedDetection{
		stream: func(_ *pb.VerifyAnswerStreamRequest, stream pieceStream) error {
			for _, piece := range pieces {
				if err := stream.Send(piece); err != nil {
					return err
				}
			}
			return status.Error(code, "the server's text")
		},
	})
}

// supported is the verdict of a claim that its evidence carries.
func supported() *pb.ClaimVerdict {
	return &pb.ClaimVerdict{
		Verdict: pb.Verdict_VERDICT_SUPPORTED, Reason: pb.VerdictReason_VERDICT_REASON_BUDGET_COVERED,
		ReasonText: "4.1 bits cover 3.9", Grounded: true,
		CitationStatus: pb.CitationStatus_CITATION_STATUS_KNOWN, CitedIds: []string{"S0"},
		Posterior: read(0.97), Prior: read(0.1),
		Confidence: 0.95, ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_REQUEST,
		Budget: &pb.Budget{
			RequiredBits: 2.88, ObservedBits: 3.03, GapBits: -0.15, RequiredNats: 2, ObservedNats: 2.1, GapNats: -0.1,
		},
		GroundingScore: new(0.9), EvidenceUse: new(0.87),
	}
}

// contradicted is the verdict of a claim that its evidence speaks against.
func contradicted() *pb.ClaimVerdict {
	return edit(supported(), func(v *pb.ClaimVerdict) {
		v.Verdict, v.Reason = pb.Verdict_VERDICT_CONTRADICTED, pb.VerdictReason_VERDICT_REASON_MODEL_SAYS_NO
		v.Grounded, v.Posterior, v.Prior = false, read(0.02), read(0.3)
		v.Stance = &pb.Stance{Yes: 0.05, No: 0.9, Unsure: 0.05, LabelMass: 0.8}
	})
}

// uncertain is the verdict of a claim that its evidence does not confirm.
func uncertain() *pb.ClaimVerdict {
	return edit(supported(), func(v *pb.ClaimVerdict) {
		v.Verdict, v.Reason = pb.Verdict_VERDICT_UNCERTAIN, pb.VerdictReason_VERDICT_REASON_LOW_POSTERIOR
		v.Grounded, v.Posterior, v.EvidenceUse = false, read(0.47), new(0.37)
	})
}

// miscited is the verdict of a claim that S1 carries and S0 does not.
func miscited() *pb.ClaimVerdict {
	return edit(supported(), func(v *pb.ClaimVerdict) {
		v.Verdict, v.Reason = pb.Verdict_VERDICT_MISCITED, pb.VerdictReason_VERDICT_REASON_OTHER_SOURCE
		v.Grounded, v.Prior, v.ClosedBook = false, read(0.96), read(0.02)
		v.OtherSources = []*pb.OtherSource{{Id: "S1", Probability: new(0.95), Carries: true}, {Id: "S2"}}
	})
}

// corroborated is the verdict of a claim that S0 carries, which it cites, and S1.
func corroborated() *pb.ClaimVerdict {
	return edit(supported(), func(v *pb.ClaimVerdict) {
		v.Reason = pb.VerdictReason_VERDICT_REASON_CORROBORATED
		v.Prior, v.ClosedBook, v.CitedAlone = read(0.96), read(0.02), read(0.97)
		v.OtherSources = []*pb.OtherSource{{Id: "S1", Probability: new(0.95), Carries: true}}
	})
}

// notVerified is the verdict of a claim that was not read.
func notVerified(reason pb.VerdictReason) *pb.ClaimVerdict {
	return &pb.ClaimVerdict{
		Verdict: pb.Verdict_VERDICT_NOT_VERIFIED, Reason: reason,
		CitationStatus: pb.CitationStatus_CITATION_STATUS_NONE, Confidence: 0.95,
	}
}

// unknownCitation is the verdict of a claim that cites what is no source.
func unknownCitation() *pb.ClaimVerdict {
	v := notVerified(pb.VerdictReason_VERDICT_REASON_UNKNOWN_CITATION)
	v.CitationStatus = pb.CitationStatus_CITATION_STATUS_UNKNOWN
	v.CitedIds, v.UnknownIds = []string{"S9"}, []string{"S9"}
	return v
}

// edit changes a copy of a message.
func edit[M proto.Message](m M, change func(M)) M {
	changed := proto.CloneOf(m)
	change(changed)
	return changed
}

// done is what a call has done.
func done() *pb.Run {
	return &pb.Run{
		Policy: pb.Policy_POLICY_BUDGET,
		Thresholds: &pb.Thresholds{
			DefaultConfidence: new(0.95), MinPosterior: new(0.5), PriorMargin: new(0.1), MaxGapBits: new(0.0),
			MinContradiction: new(0.5), MinEvidenceUse: new(0.15), ScoreBonusPosterior: new(0.7), MinGroundingScore: new(0.45),
			MinGroundedRatio: new(0.7), MaxUnsupportedPosterior: new(0.4), MinMiscitation: new(0.3),
			MaxContradicted: new(int32(1)),
		},
		Model: "model", PromptVersion: "yes-no/1", Backend: "default",
		Usage:  &pb.SharedUsage{DistinctPrompts: 2, PromptTokens: 80, ComputedTokens: 60, MinimalTokens: 48, BlockTokens: 16},
		Timing: &pb.Timing{TotalDuration: durationpb.New(20e6)},
		NonEvidence: []*pb.NonEvidence{{
			SourceId: "S0", Span: &pb.Span{Start: 3, End: 9}, Kind: pb.NonAssertiveReason_NON_ASSERTIVE_REASON_QUESTION,
		}},
		SkipNonEvidence: true,
		DetectionId:     detectionID,
	}
}

// found are the claims of the answer: one that is verified, one that cites what
// is no source, and one that is skipped.
func found() []*pb.AnswerClaim {
	return []*pb.AnswerClaim{
		{Claim: &pb.Claim{
			Content: "The Rhine rises in the Alps.", Span: &pb.Span{Start: 0, End: 33}, Language: "en",
			Citations:  []*pb.Citation{{Span: &pb.Span{Start: 28, End: 32}, Ids: []string{"S0"}}},
			Confidence: new(0.95), ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_DEFAULT,
		}},
		{Claim: &pb.Claim{
			Content: "It is warm.", Span: &pb.Span{Start: 34, End: 50}, Language: "en",
			Citations:  []*pb.Citation{{Span: &pb.Span{Start: 45, End: 49}, Ids: []string{"S9"}}},
			Confidence: new(0.95), ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_DEFAULT,
		}},
		{Claim: &pb.Claim{
			Content: "Is it?", Span: &pb.Span{Start: 51, End: 57}, Language: "en",
			NonAssertiveReason: pb.NonAssertiveReason_NON_ASSERTIVE_REASON_QUESTION,
			Confidence:         new(0.95), ConfidenceSource: pb.ConfidenceSource_CONFIDENCE_SOURCE_DEFAULT,
		}, Verdict: notVerified(pb.VerdictReason_VERDICT_REASON_NON_ASSERTIVE)},
	}
}

// report is the report on the answer.
func report() *pb.VerifyAnswerResponse {
	claims := found()
	claims[0].Verdict, claims[1].Verdict = supported(), unknownCitation()
	return &pb.VerifyAnswerResponse{
		Claims: claims,
		Summary: &pb.AnswerSummary{
			GroundedClaims: 1, TotalClaims: 2, GroundingRatio: 0.5, SkippedClaims: 1,
			Warning: "1 of 2 claims is not grounded.", Language: "en",
			Unverified: []*pb.UnverifiedClaims{
				{Reason: pb.VerdictReason_VERDICT_REASON_UNKNOWN_CITATION, Claims: 1},
				{
					Reason:             pb.VerdictReason_VERDICT_REASON_NON_ASSERTIVE,
					NonAssertiveReason: pb.NonAssertiveReason_NON_ASSERTIVE_REASON_QUESTION, Claims: 1,
				},
			},
			VerifiedShare: 0.75, UnclaimedLines: 2, ReviewOrder: []int32{0, 1}, Thoughts: 1,
			Complete: true,
		},
		Run: done(),
	}
}

// pieces are the pieces that lead to the report, and the report.
func pieces() []*pb.VerifyAnswerStreamResponse {
	return []*pb.VerifyAnswerStreamResponse{
		{Event: &pb.VerifyAnswerStreamResponse_Found{Found: &pb.ClaimsFound{Claims: found()}}},
		known(1, unknownCitation()),
		known(0, supported()),
		last(report()),
	}
}

// known is the piece with the verdict of one claim.
func known(index int32, verdict *pb.ClaimVerdict) *pb.VerifyAnswerStreamResponse {
	return &pb.VerifyAnswerStreamResponse{
		Event: &pb.VerifyAnswerStreamResponse_Known{Known: &pb.ClaimKnown{Index: index, Verdict: verdict}},
	}
}

// last is the piece with the report.
func last(report *pb.VerifyAnswerResponse) *pb.VerifyAnswerStreamResponse {
	return &pb.VerifyAnswerStreamResponse{Event: &pb.VerifyAnswerStreamResponse_Report{Report: report}}
}
