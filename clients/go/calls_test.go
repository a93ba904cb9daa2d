package groundwire_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// recordDeadline is an option that stores the deadline of each call.
func recordDeadline(deadline *time.Time) groundwire.Option {
	interceptor := func(ctx context.Context, method string, request, reply any, connection *grpc.ClientConn,
		invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		*deadline, _ = ctx.Deadline()
		return invoke(ctx, method, request, reply, connection, options...)
	}
	return groundwire.WithDialOptions(grpc.WithUnaryInterceptor(interceptor))
}

func TestACallWithoutDeadlineGetsTheDefault(t *testing.T) {
	cases := map[string]struct {
		options []groundwire.Option
		want    time.Duration
	}{
		"default":     {nil, groundwire.DefaultTimeout},
		"WithTimeout": {[]groundwire.Option{groundwire.WithTimeout(time.Minute)}, time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var deadline time.Time
			client := connect(t, answering(read(0.5)), append(c.options, recordDeadline(&deadline))...)
			before := time.Now()
			if _, err := client.Estimate(context.Background(), "claim", ""); err != nil {
				t.Fatal(err)
			}
			after := time.Now()
			if deadline.Before(before.Add(c.want)) || deadline.After(after.Add(c.want)) {
				t.Errorf("the deadline is %v after the call began, not %v", deadline.Sub(before), c.want)
			}
		})
	}
}

func TestACallKeepsTheDeadlineOfItsContext(t *testing.T) {
	var deadline time.Time
	client := connect(t, answering(read(0.5)), recordDeadline(&deadline))
	want := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.Background(), want)
	defer cancel()
	if _, err := client.Estimate(ctx, "claim", ""); err != nil {
		t.Fatal(err)
	}
	if !deadline.Equal(want) {
		t.Errorf("got %v, want %v", deadline, want)
	}
}

func TestACallThatTakesTooLongFailsWithDeadlineExceeded(t *testing.T) {
	client := connect(t, &scripted{
		info: func(ctx context.Context, _ *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}, groundwire.WithTimeout(50*time.Millisecond))
	_, err := client.ServerInfo(context.Background())
	if !errors.Is(err, groundwire.ErrDeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestACancelledCallFailsWithCanceled(t *testing.T) {
	client := connect(t, answering(read(0.5)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := client.Estimate(ctx, "claim", "")
	if !errors.Is(err, groundwire.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTheTokenIsSentAsABearerToken(t *testing.T) {
	var sent []string
	client := connect(t, &scripted{
		info: func(ctx context.Context, _ *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			sent = metadata.ValueFromIncomingContext(ctx, "authorization")
			return &pb.GetServerInfoResponse{}, nil
		},
	}, groundwire.WithToken("s3cret"))
	if _, err := client.ServerInfo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sent, []string{"Bearer s3cret"}) {
		t.Errorf("got %q", sent)
	}
}

// failingFirst is a server that fails the first calls with the code, and that
// counts all of them.
func failingFirst(failures int64, code codes.Code, calls *atomic.Int64) *scripted {
	return &scripted{
		estimate: func(context.Context, *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			if calls.Add(1) <= failures {
				return nil, status.Error(code, "not now")
			}
			return &pb.EstimateProbabilityResponse{Estimate: read(0.5)}, nil
		},
	}
}

func TestUnavailableIsTriedAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := connect(t, failingFirst(1, codes.Unavailable, &calls))
	if _, err := client.Estimate(t.Context(), "claim", ""); err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls, not 2", calls.Load())
	}
}

func TestUnavailableIsTriedAgainWithALargeMessage(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := connect(t, failingFirst(1, codes.Unavailable, &calls))
	evidence := strings.Repeat("x", 2<<20) // gRPC itself retries up to 256 KiB.
	if _, err := client.Estimate(t.Context(), "claim", evidence); err != nil {
		t.Fatal(err)
	}
}

func TestUnavailableIsReportedAfterFourTries(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := connect(t, failingFirst(10, codes.Unavailable, &calls))
	_, err := client.Estimate(t.Context(), "claim", "")
	if !errors.Is(err, groundwire.ErrUnavailable) || calls.Load() != 4 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}

func TestRetriesHaveABudgetThatAServerWhichIsDownUsesUp(t *testing.T) {
	t.Parallel()
	const given = 20
	var calls atomic.Int64
	client := connect(t, failingFirst(given*4, codes.Unavailable, &calls))
	for range given {
		if _, err := client.Estimate(t.Context(), "claim", ""); !errors.Is(err, groundwire.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	// Without a budget it would be four attempts a call.
	if calls.Load() > given+5 {
		t.Errorf("%d attempts for %d calls", calls.Load(), given)
	}
}

func TestOtherCodesAreNotTriedAgain(t *testing.T) {
	for _, code := range []codes.Code{codes.ResourceExhausted, codes.Internal, codes.InvalidArgument} {
		t.Run(code.String(), func(t *testing.T) {
			var calls atomic.Int64
			client := connect(t, failingFirst(1, code, &calls))
			if _, err := client.Estimate(t.Context(), "claim", ""); status.Code(err) != code || calls.Load() != 1 {
				t.Errorf("got %v after %d calls", err, calls.Load())
			}
		})
	}
}

func TestAMessageBeyondTheLimitIsRefused(t *testing.T) {
	client := connect(t, answering(read(0.5)), groundwire.WithMaxMessageBytes(100))
	_, err := client.Estimate(t.Context(), "claim", strings.Repeat("x", 101))
	if !errors.Is(err, groundwire.ErrResourceExhausted) || errors.Is(err, groundwire.ErrServerBusy) {
		t.Errorf("got %v", err)
	}
}

func TestAMessageAboveTheDefaultOfGRPCArrives(t *testing.T) {
	client := connect(t, &scripted{
		info: func(context.Context, *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			return &pb.GetServerInfoResponse{Model: strings.Repeat("m", 5<<20)}, nil // gRPC's default is 4 MiB.
		},
	})
	if _, err := client.ServerInfo(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNewDoesNotConnect(t *testing.T) {
	client, err := groundwire.New("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestACallAfterCloseFailsWithCanceled(t *testing.T) {
	client, err := groundwire.New("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ServerInfo(t.Context()); !errors.Is(err, groundwire.ErrCanceled) {
		t.Errorf("got %v", err)
	}
}
