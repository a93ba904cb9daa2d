package groundwire

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Estimator reads the probability that claims are true given the evidence. It is
// what a program should depend on, and what its tests can fake.
//
// The evidence is what the contract calls the context. It may be empty.
type Estimator interface {
	// EstimateProbability returns the probability, in [0, 1], that the claim
	// is true given the evidence. With every error the probability is NaN.
	// errors.Is(err, ErrNoProbability) holds if the model cannot answer.
	EstimateProbability(ctx context.Context, claim, evidence string) (float64, error)

	// BatchEstimate returns one probability, in [0, 1], for each claim and in
	// the order of the claims. If the model cannot answer some of them, it
	// returns all values, NaN for those, and a *NoProbabilityError that lists
	// them. With any other error there are no values.
	BatchEstimate(ctx context.Context, claims []string, evidence string) ([]float64, error)
}

var _ Estimator = (*Client)(nil)

// Client calls one Groundwire server. It is safe for concurrent use. Make it
// with [New].
type Client struct {
	connection  *grpc.ClientConn
	backend     pb.VerifierBackendClient
	detection   pb.HallucinationDetectionClient
	gate        pb.MemoryGateClient
	traces      pb.TraceAuditClient
	similarity  pb.SimilarityClient
	outputs     pb.OutputVerificationClient
	feedback    pb.FeedbackClient
	timeout     time.Duration
	assessments pb.ResponseAssessmentClient
	corpus      pb.CorpusVerificationClient
}

// New makes a client of the server at the target, a gRPC target such as
// "127.0.0.1:50051", "dns:///verifier.internal:50051" or
// "unix:///run/groundwire.sock". It does not connect: the first call does.
//
// It fails if the target is empty, if an option is not valid, if a file of an
// option cannot be read, or if the target is not loopback and neither TLS nor
// [WithPlaintextAllowed] is given.
func New(target string, opts ...Option) (*Client, error) {
	if target == "" {
		return nil, errors.New("groundwire: the target is empty")
	}
	settings, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	dialOptions, err := settings.dial(target)
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(target, dialOptions...)
	if err != nil {
		return nil, fmt.Errorf("groundwire: target %q: %w", target, err)
	}
	return &Client{
		connection:  connection,
		backend:     pb.NewVerifierBackendClient(connection),
		detection:   pb.NewHallucinationDetectionClient(connection),
		gate:        pb.NewMemoryGateClient(connection),
		traces:      pb.NewTraceAuditClient(connection),
		similarity:  pb.NewSimilarityClient(connection),
		outputs:     pb.NewOutputVerificationClient(connection),
		feedback:    pb.NewFeedbackClient(connection),
		timeout:     settings.timeout,
		assessments: pb.NewResponseAssessmentClient(connection),
		corpus:      pb.NewCorpusVerificationClient(connection),
	}, nil
}

// Close closes the channel. Calls in flight and later ones fail with
// [ErrCanceled].
func (c *Client) Close() error {
	return c.connection.Close()
}

// EstimateProbability implements [Estimator].
func (c *Client) EstimateProbability(ctx context.Context, claim, evidence string) (float64, error) {
	estimation, err := c.Estimate(ctx, claim, evidence)
	if err != nil {
		return math.NaN(), err
	}
	if !estimation.OK {
		return math.NaN(), &NoProbabilityError{Indices: []int{0}}
	}
	return estimation.Probability, nil
}

// BatchEstimate implements [Estimator].
func (c *Client) BatchEstimate(ctx context.Context, claims []string, evidence string) ([]float64, error) {
	batch, err := c.Estimates(ctx, claims, evidence)
	if err != nil {
		return nil, err
	}
	probabilities := make([]float64, len(batch.Estimates))
	var missing []int
	for i, estimate := range batch.Estimates {
		probabilities[i] = estimate.Probability
		if !estimate.OK {
			missing = append(missing, i)
		}
	}
	if missing != nil {
		return probabilities, &NoProbabilityError{Indices: missing}
	}
	return probabilities, nil
}

// Estimate reads one claim against the evidence and returns everything that is
// known about the reading. A claim that the model cannot answer is no error
// here: look at [Estimate.OK]. Errors are of type [*Error].
func (c *Client) Estimate(ctx context.Context, claim, evidence string, opts ...CallOption) (*Estimation, error) {
	options := newCallSettings(opts)
	if err := checkText(text{"claim", claim}, text{"context", evidence}, text{"backend", options.backend}); err != nil {
		return nil, err
	}
	request := &pb.EstimateProbabilityRequest{
		Claim:            claim,
		Context:          evidence,
		Backend:          options.backend,
		SkipResultCache:  options.skipResultCache,
		SplitLongContext: options.splitLongContext,
	}
	return call(ctx, c, c.backend.EstimateProbability, request, func(response *pb.EstimateProbabilityResponse) (*Estimation, error) {
		estimate, err := newEstimate(response.GetEstimate(), "estimate 0")
		if err != nil {
			return nil, err
		}
		info, err := newCallInfo(response)
		return &Estimation{Estimate: estimate, CallInfo: info}, err
	})
}

// Estimates reads the claims against the one evidence and returns everything
// that is known about the readings, in the order of the claims. Claims that the
// model cannot answer are no error here: look at [Estimate.OK]. Errors are of
// type [*Error], and then nothing was answered: the server refuses or answers a
// batch as a whole.
func (c *Client) Estimates(ctx context.Context, claims []string, evidence string, opts ...CallOption) (*BatchEstimation, error) {
	options := newCallSettings(opts)
	texts := []text{{"context", evidence}, {"backend", options.backend}}
	for i, claim := range claims {
		texts = append(texts, text{fmt.Sprintf("claims[%d]", i), claim})
	}
	if err := checkText(texts...); err != nil {
		return nil, err
	}
	request := &pb.BatchEstimateRequest{
		Claims:           claims,
		Context:          evidence,
		Backend:          options.backend,
		SkipResultCache:  options.skipResultCache,
		SplitLongContext: options.splitLongContext,
	}
	return call(ctx, c, c.backend.BatchEstimate, request, func(response *pb.BatchEstimateResponse) (*BatchEstimation, error) {
		estimates, err := newEstimates(response.GetEstimates(), len(claims))
		if err != nil {
			return nil, err
		}
		info, err := newCallInfo(response)
		return &BatchEstimation{Estimates: estimates, CallInfo: info}, err
	})
}

// ServerInfo tells which model answers, how it is asked, and the limits in
// force. It is answered while the server loads too, with the fields that are
// known by then. Of the options [WithBackend] counts: it is the backend whose
// model is described. Errors are of type [*Error].
func (c *Client) ServerInfo(ctx context.Context, options ...CallOption) (*ServerInfo, error) {
	request := &pb.GetServerInfoRequest{Backend: newCallSettings(options).backend}
	return call(ctx, c, c.backend.GetServerInfo, request, newServerInfo)
}

// ExtractClaims splits a text into claims. The source ids are those that count
// as citations beside numbered ones. It needs no model and is answered while
// the server loads. Errors are of type [*Error].
func (c *Client) ExtractClaims(ctx context.Context, text string, options ExtractOptions, sourceIDs ...string) (*ExtractedClaims, error) {
	w, request := writing{}, &pb.ExtractClaimsRequest{}
	w.fill(request, struct {
		Text      string
		SourceIDs []string
		Options   ExtractOptions
	}{text, sourceIDs, options})
	if err := w.done(); err != nil {
		return nil, err
	}
	return call(ctx, c, c.detection.ExtractClaims, request, func(response *pb.ExtractClaimsResponse) (*ExtractedClaims, error) {
		return newExtractedClaims(response, utf8.RuneCountInString(text))
	})
}

// VerifyClaims verifies claims that are already apart from each other, such as
// those of [Claim.Input], and returns them with their verdicts, in their order. A
// claim that could not be verified is no error here: its verdict is
// [VerdictNotVerified]. Errors are of type [*Error], and then nothing was
// verified: the server refuses or answers the claims as a whole.
func (c *Client) VerifyClaims(ctx context.Context, claims []ClaimInput, evidence Evidence, options VerifyOptions) (*VerifiedClaims, error) {
	request, err := newVerifyClaimsRequest(claims, evidence, options)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.detection.VerifyClaims, request, func(response *pb.VerifyClaimsResponse) (*VerifiedClaims, error) {
		return newVerifiedClaims(response, claims)
	})
}

// VerifyAnswer extracts the claims of an answer, verifies them against the
// evidence that the answer was given, and reports on each claim and on the
// answer as a whole. A claim that could not be verified is no error here: its
// verdict is [VerdictNotVerified]. Errors are of type [*Error], and then
// nothing was verified.
func (c *Client) VerifyAnswer(ctx context.Context, request AnswerRequest) (*Report, error) {
	message, err := request.message("")
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.detection.VerifyAnswer, message, func(response *pb.VerifyAnswerResponse) (*Report, error) {
		return newReport(response, utf8.RuneCountInString(request.Answer))
	})
}

// AuditTrace says where a chain of reasoning leaves its evidence, and whether
// its answer follows from its steps. A step is judged by the evidence and by
// those steps before it that are entailed. A step that could not be judged is no
// error here: its status is [StepUnverifiable]. Errors are of type [*Error];
// errors.Is(err, [ErrNotEnabled]) holds where the server's operator has not
// switched trace auditing on.
func (c *Client) AuditTrace(ctx context.Context, trace Trace) (*TraceAudit, error) {
	message, err := trace.message()
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.traces.AuditTrace, message, func(response *pb.AuditTraceResponse) (*TraceAudit, error) {
		return newTraceAudit(response, trace)
	})
}

// AssessResponse says how likely a response is made up, given the tool calls that
// were made for it. A layer that fails is no error here: its state is
// [LayerFailed], and the action is never [ActionNone]. Errors are of type
// [*Error]; errors.Is(err, [ErrNotEnabled]) holds where the server's operator has
// not switched response assessment on.
func (c *Client) AssessResponse(ctx context.Context, exchange Exchange) (*ResponseAssessment, error) {
	message, err := exchange.message()
	if err != nil {
		return nil, err
	}
	return call(ctx, c, c.assessments.AssessResponse, message, func(response *pb.AssessResponseResponse) (*ResponseAssessment, error) {
		return newResponseAssessment(response, exchange.Response)
	})
}

// call makes one call within its deadline, and reads the response.
func call[Request, Response, Result any](
	ctx context.Context,
	c *Client,
	method func(context.Context, Request, ...grpc.CallOption) (Response, error),
	request Request,
	read func(Response) (Result, error),
) (Result, error) {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	response, err := method(ctx, request)
	if err != nil {
		var none Result
		return none, newError(err)
	}
	return read(response)
}

// withDeadline gives the context the default deadline unless it has one.
func (c *Client) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timeout)
}

// text is one text of a request and its field.
type text struct {
	field, value string
}

// checkText answers for the server where a text is not valid UTF-8: such a
// request has no encoding in protobuf, so it cannot be sent to be refused.
func checkText(texts ...text) error {
	var violations []FieldViolation
	for _, t := range texts {
		if !utf8.ValidString(t.value) {
			violations = append(violations, FieldViolation{t.field, "not valid UTF-8"})
		}
	}
	if violations == nil {
		return nil
	}
	return badRequest(ReasonMalformedRequest, violations)
}
