package groundwire_test

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/protoadapt"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// inMemoryTarget is no network address: only the dialer of the in-memory
// server reaches it.
const inMemoryTarget = "passthrough:///in-memory"

// pipeBytes is the buffer of the in-memory connection.
const pipeBytes = 1 << 20

// scripted is a server whose answers are set by the test.
type scripted struct {
	pb.UnimplementedVerifierBackendServer
	detection   scriptedDetection
	gate        scriptedGate
	traces      scriptedTraces
	similarity  scriptedSimilarity
	outputs     scriptedOutputs
	feedback    scriptedFeedback
	estimate    func(context.Context, *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error)
	batch       func(context.Context, *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error)
	info        func(context.Context, *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error)
	assessments scriptedAssessments
	corpus      scriptedCorpus
}

func (s *scripted) EstimateProbability(ctx context.Context, r *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
	return s.estimate(ctx, r)
}

func (s *scripted) BatchEstimate(ctx context.Context, r *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
	return s.batch(ctx, r)
}

func (s *scripted) GetServerInfo(ctx context.Context, r *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
	return s.info(ctx, r)
}

// serve runs the server in memory and returns the option that reaches it.
func serve(s *scripted) (option groundwire.Option, stop func()) {
	listener := bufconn.Listen(pipeBytes)
	server := grpc.NewServer(grpc.MaxRecvMsgSize(groundwire.DefaultMaxMessageBytes))
	pb.RegisterVerifierBackendServer(server, s)
	pb.RegisterHallucinationDetectionServer(server, &s.detection)
	pb.RegisterMemoryGateServer(server, &s.gate)
	pb.RegisterTraceAuditServer(server, &s.traces)
	pb.RegisterSimilarityServer(server, &s.similarity)
	pb.RegisterResponseAssessmentServer(server, &s.assessments)
	pb.RegisterCorpusVerificationServer(server, &s.corpus)
	pb.RegisterOutputVerificationServer(server, &s.outputs)
	pb.RegisterFeedbackServer(server, &s.feedback)
	go func() { _ = server.Serve(listener) }()
	dialer := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	return groundwire.WithDialOptions(grpc.WithContextDialer(dialer)), server.Stop
}

// connect returns a client of the server, both of which end with the test.
func connect(t *testing.T, s *scripted, options ...groundwire.Option) *groundwire.Client {
	t.Helper()
	dial, stop := serve(s)
	t.Cleanup(stop)
	client, err := groundwire.New(inMemoryTarget, append([]groundwire.Option{dial}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// answering is a server that gives these estimates to every call; a single
// call gets the first.
func answering(estimates ...*pb.Estimate) *scripted {
	return &scripted{
		estimate: func(context.Context, *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			return &pb.EstimateProbabilityResponse{Estimate: estimates[0]}, nil
		},
		batch: func(context.Context, *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			return &pb.BatchEstimateResponse{Estimates: estimates}, nil
		},
	}
}

// failing is a server whose single call fails with the code and the details.
func failing(t *testing.T, code codes.Code, details ...protoadapt.MessageV1) *scripted {
	t.Helper()
	s, err := status.New(code, "the server's text").WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{
		estimate: func(context.Context, *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			return nil, s.Err()
		},
	}
}

// read is an estimate with a probability.
func read(probability float64) *pb.Estimate {
	return &pb.Estimate{
		Probability: &probability,
		LabelMass:   0.9,
		Source:      pb.EstimateSource_ESTIMATE_SOURCE_MODEL,
	}
}

// unread is an estimate of a claim that the model cannot answer.
func unread() *pb.Estimate {
	return &pb.Estimate{
		LabelMass:           0.01,
		Source:              pb.EstimateSource_ESTIMATE_SOURCE_MODEL,
		NoProbabilityReason: pb.NoProbabilityReason_NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR,
	}
}

// giving is a handler that gives this response to every call, and keeps the request
// where somebody wants it.
func giving[Request, Response any](
	response *Response, sent **Request,
) func(context.Context, *Request) (*Response, error) {
	return func(_ context.Context, request *Request) (*Response, error) {
		if sent != nil {
			*sent = request
		}
		return response, nil
	}
}
