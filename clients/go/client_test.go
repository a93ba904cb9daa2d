package groundwire_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

func TestEstimateProbabilityReturnsTheProbability(t *testing.T) {
	client := connect(t, answering(read(0.75)))
	got, err := client.EstimateProbability(t.Context(), "claim", "evidence")
	if err != nil || got != 0.75 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEstimateProbabilityIsNaNAndAnErrorWithoutProbability(t *testing.T) {
	client := connect(t, answering(unread()))
	got, err := client.EstimateProbability(t.Context(), "claim", "evidence")
	if !math.IsNaN(got) || !errors.Is(err, groundwire.ErrNoProbability) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEstimateProbabilityIsNaNWhenTheCallFails(t *testing.T) {
	client := connect(t, failing(t, codes.Internal))
	got, err := client.EstimateProbability(t.Context(), "claim", "evidence")
	if !math.IsNaN(got) || !errors.Is(err, groundwire.ErrInternal) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEstimateProbabilityOfZeroIsAProbability(t *testing.T) {
	client := connect(t, answering(read(0)))
	got, err := client.EstimateProbability(t.Context(), "claim", "evidence")
	if err != nil || got != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBatchEstimateKeepsTheOrderOfTheClaims(t *testing.T) {
	client := connect(t, answering(read(0.9), read(0.1), read(0.5)))
	got, err := client.BatchEstimate(t.Context(), []string{"a", "b", "c"}, "evidence")
	if err != nil || !slices.Equal(got, []float64{0.9, 0.1, 0.5}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBatchEstimateMarksTheClaimsWithoutProbability(t *testing.T) {
	client := connect(t, answering(unread(), read(0.1), unread()))
	got, err := client.BatchEstimate(t.Context(), []string{"a", "b", "c"}, "evidence")
	if len(got) != 3 || !math.IsNaN(got[0]) || got[1] != 0.1 || !math.IsNaN(got[2]) {
		t.Errorf("got %v", got)
	}
	var missing *groundwire.NoProbabilityError
	if !errors.As(err, &missing) || !slices.Equal(missing.Indices, []int{0, 2}) {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, groundwire.ErrNoProbability) {
		t.Errorf("%v is not ErrNoProbability", err)
	}
}

func TestBatchEstimateHasNoValuesWhenTheCallFails(t *testing.T) {
	client := connect(t, &scripted{
		batch: func(context.Context, *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			return nil, status.Error(codes.Internal, "bug")
		},
	})
	got, err := client.BatchEstimate(t.Context(), []string{"a"}, "evidence")
	if got != nil || !errors.Is(err, groundwire.ErrInternal) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestTheRequestCarriesEveryArgument(t *testing.T) {
	var single *pb.EstimateProbabilityRequest
	var batch *pb.BatchEstimateRequest
	client := connect(t, &scripted{
		estimate: func(_ context.Context, r *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			single = r
			return &pb.EstimateProbabilityResponse{Estimate: read(0.5)}, nil
		},
		batch: func(_ context.Context, r *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			batch = r
			return &pb.BatchEstimateResponse{Estimates: []*pb.Estimate{read(0.5), read(0.5)}}, nil
		},
	})
	if _, err := client.Estimate(t.Context(), "a", "evidence", groundwire.WithBackend("small")); err != nil {
		t.Fatal(err)
	}
	if single.GetClaim() != "a" || single.GetContext() != "evidence" || single.GetBackend() != "small" {
		t.Errorf("the single request is %v", single)
	}
	if _, err := client.Estimates(t.Context(), []string{"a", "b"}, "evidence", groundwire.WithBackend("small")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(batch.GetClaims(), []string{"a", "b"}) || batch.GetContext() != "evidence" || batch.GetBackend() != "small" {
		t.Errorf("the batch request is %v", batch)
	}
}

// skipAsked makes a single and a batch call with the options and says of each
// whether it asked the server to skip its result cache.
func skipAsked(t *testing.T, options ...groundwire.CallOption) (single, batch bool) {
	t.Helper()
	client := connect(t, &scripted{
		estimate: func(_ context.Context, r *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			single = r.GetSkipResultCache()
			return &pb.EstimateProbabilityResponse{Estimate: read(0.5)}, nil
		},
		batch: func(_ context.Context, r *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			batch = r.GetSkipResultCache()
			return &pb.BatchEstimateResponse{Estimates: []*pb.Estimate{read(0.5)}}, nil
		},
	})
	if _, err := client.Estimate(t.Context(), "a", "evidence", options...); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Estimates(t.Context(), []string{"a"}, "evidence", options...); err != nil {
		t.Fatal(err)
	}
	return single, batch
}

func TestACallCanGoWithoutTheResultCache(t *testing.T) {
	if single, batch := skipAsked(t, groundwire.WithoutResultCache()); !single || !batch {
		t.Errorf("asked in the single call: %v, in the batch: %v", single, batch)
	}
}

func TestACallMayUseTheResultCacheByDefault(t *testing.T) {
	if single, batch := skipAsked(t); single || batch {
		t.Errorf("asked in the single call: %v, in the batch: %v", single, batch)
	}
}

func TestALongContextCanBeSplit(t *testing.T) {
	client := connect(t, &scripted{
		batch: func(_ context.Context, r *pb.BatchEstimateRequest) (*pb.BatchEstimateResponse, error) {
			estimate := read(0.5)
			if r.GetSplitLongContext() {
				estimate.Chunk = &pb.Chunk{Index: 1, Count: 3, Start: 10, End: 20}
			}
			return &pb.BatchEstimateResponse{Estimates: []*pb.Estimate{estimate}}, nil
		},
	})
	got, err := client.Estimates(t.Context(), []string{"a"}, "evidence", groundwire.WithChunks())
	if err != nil {
		t.Fatal(err)
	}
	want := &groundwire.Chunk{Index: 1, Count: 3, Start: 10, End: 20}
	if !reflect.DeepEqual(got.Estimates[0].Chunk, want) {
		t.Errorf("got %+v, want %+v", got.Estimates[0].Chunk, want)
	}
}

func TestServerInfoDescribesTheBackendThatIsAsked(t *testing.T) {
	client := connect(t, &scripted{
		info: func(_ context.Context, r *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			return &pb.GetServerInfoResponse{Model: "model of " + r.GetBackend()}, nil
		},
	})
	got, err := client.ServerInfo(t.Context(), groundwire.WithBackend("external"))
	if err != nil || got.Model != "model of external" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEstimateSaysWhyThereIsNoProbability(t *testing.T) {
	client := connect(t, answering(unread()))
	got, err := client.Estimate(t.Context(), "claim", "evidence")
	if err != nil {
		t.Fatal(err)
	}
	if got.OK || !math.IsNaN(got.Probability) || got.Reason != groundwire.LabelMassBelowFloor || got.LabelMass != 0.01 {
		t.Errorf("got %+v", got)
	}
}

func TestUnsetLogProbabilitiesAreNaN(t *testing.T) {
	client := connect(t, answering(read(0.5)))
	got, err := client.Estimate(t.Context(), "claim", "evidence")
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(got.YesLogProbability) || !math.IsNaN(got.NoLogProbability) {
		t.Errorf("got %+v", got)
	}
}

func TestAMissingEstimateIsAnInternalError(t *testing.T) {
	_, err := connect(t, answering(nil)).Estimate(t.Context(), "claim", "evidence")
	if !errors.Is(err, groundwire.ErrInternal) {
		t.Errorf("got %v", err)
	}
}

func TestTextThatIsNotUTF8IsAnInvalidRequest(t *testing.T) {
	client := connect(t, answering(read(0.5)))
	_, err := client.BatchEstimate(t.Context(), []string{"a", "\xff"}, "evidence")
	var e *groundwire.Error
	if !errors.As(err, &e) || !errors.Is(err, groundwire.ErrInvalidRequest) {
		t.Fatalf("got %v", err)
	}
	if e.Reason != groundwire.ReasonMalformedRequest || len(e.Violations) != 1 || e.Violations[0].Field != "claims[1]" {
		t.Errorf("got %+v", e)
	}
}
