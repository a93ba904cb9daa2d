package groundwire_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// sentinels are all that an *Error can be.
var sentinels = []error{
	groundwire.ErrInvalidRequest, groundwire.ErrUnauthenticated, groundwire.ErrServerBusy,
	groundwire.ErrResourceExhausted, groundwire.ErrUnavailable, groundwire.ErrDeadlineExceeded,
	groundwire.ErrCanceled, groundwire.ErrNotEnabled, groundwire.ErrInternal, groundwire.ErrNoProbability,
	groundwire.ErrFactNotGrounded, groundwire.ErrNotFound,
}

// reasons has, for each reason of the contract, its code and its sentinel.
var reasons = []struct {
	reason   string
	code     codes.Code
	sentinel error
}{
	{groundwire.ReasonMalformedRequest, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonEmptyBatch, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonTooManyClaims, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonEmptyClaim, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonClaimTooLong, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonContextTooLong, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonUnknownBackend, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonInvalidToken, codes.Unauthenticated, groundwire.ErrUnauthenticated},
	{groundwire.ReasonQueueFull, codes.ResourceExhausted, groundwire.ErrServerBusy},
	{groundwire.ReasonOverloaded, codes.ResourceExhausted, groundwire.ErrServerBusy},
	{groundwire.ReasonLoading, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonDraining, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonEngineFailed, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonDeadlineExceeded, codes.DeadlineExceeded, groundwire.ErrDeadlineExceeded},
	{groundwire.ReasonInternal, codes.Internal, groundwire.ErrInternal},
	{groundwire.ReasonEmptyText, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonTextTooLong, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonInvalidSource, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonInvalidOption, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonResponseTooLarge, codes.ResourceExhausted, groundwire.ErrResourceExhausted},
	{groundwire.ReasonRequestTooLarge, codes.ResourceExhausted, groundwire.ErrResourceExhausted},
	{groundwire.ReasonNotEnabled, codes.FailedPrecondition, groundwire.ErrNotEnabled},
	{groundwire.ReasonTooManySteps, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonInvalidToolCall, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonUnknownCorpus, codes.InvalidArgument, groundwire.ErrInvalidRequest},
	{groundwire.ReasonBackendBusy, codes.ResourceExhausted, groundwire.ErrServerBusy},
	{groundwire.ReasonSpendingLimit, codes.ResourceExhausted, groundwire.ErrServerBusy},
	{groundwire.ReasonBackendUnreachable, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonBackendRefused, codes.FailedPrecondition, groundwire.ErrUnavailable},
	{groundwire.ReasonQueueUnavailable, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonNotFound, codes.NotFound, groundwire.ErrNotFound},
	{groundwire.ReasonDetectionNotFound, codes.NotFound, groundwire.ErrNotFound},
	{groundwire.ReasonFeedbackNotStored, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonCorpusUnavailable, codes.Unavailable, groundwire.ErrUnavailable},
	{groundwire.ReasonUnsupportedByProfile, codes.FailedPrecondition, groundwire.ErrNotEnabled},
	{groundwire.ReasonQuotaExceeded, codes.ResourceExhausted, groundwire.ErrServerBusy},
}

// mustBeOnly fails the test unless the error is this sentinel and no other.
func mustBeOnly(t *testing.T, err, want error) {
	t.Helper()
	for _, sentinel := range sentinels {
		if errors.Is(err, sentinel) != (sentinel == want) {
			t.Errorf("errors.Is(%v, %v) is %v", err, sentinel, errors.Is(err, sentinel))
		}
	}
}

// call returns the error of a call to the server.
func call(t *testing.T, s *scripted) *groundwire.Error {
	t.Helper()
	_, err := connect(t, s).Estimate(t.Context(), "claim", "evidence")
	var e *groundwire.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, which is no *Error", err)
	}
	return e
}

func info(reason string) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Domain: "groundwire", Reason: reason}
}

func TestEachReasonHasItsSentinel(t *testing.T) {
	for _, r := range reasons {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			e := call(t, failing(t, r.code, info(r.reason)))
			// After retries, gRPC puts their number in front of the text.
			if e.Reason != r.reason || e.Code != r.code || !strings.HasSuffix(e.Message, "the server's text") {
				t.Errorf("got %+v", e)
			}
			mustBeOnly(t, e, r.sentinel)
		})
	}
}

func TestTheReasonsAreThoseOfTheContract(t *testing.T) {
	var want, got []string
	for value, name := range pb.ErrorReason_name {
		if value != 0 {
			want = append(want, strings.TrimPrefix(name, "ERROR_REASON_"))
		}
	}
	for _, r := range reasons {
		got = append(got, r.reason)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestTheReasonDecidesBeforeTheCode(t *testing.T) {
	mustBeOnly(t, call(t, failing(t, codes.Internal, info(groundwire.ReasonQueueFull))), groundwire.ErrServerBusy)
}

func TestTheCodeDecidesWithoutAReason(t *testing.T) {
	cases := map[codes.Code]error{
		codes.InvalidArgument:   groundwire.ErrInvalidRequest,
		codes.Unauthenticated:   groundwire.ErrUnauthenticated,
		codes.ResourceExhausted: groundwire.ErrResourceExhausted,
		codes.Unavailable:       groundwire.ErrUnavailable,
		codes.DeadlineExceeded:  groundwire.ErrDeadlineExceeded,
		codes.Canceled:          groundwire.ErrCanceled,
		codes.Internal:          groundwire.ErrInternal,
		codes.Unknown:           groundwire.ErrInternal,
		codes.Unimplemented:     nil,
	}
	for code, sentinel := range cases {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			mustBeOnly(t, call(t, failing(t, code)), sentinel)
		})
	}
}

func TestAReasonOfAnotherDomainIsIgnored(t *testing.T) {
	other := &errdetails.ErrorInfo{Domain: "proxy.example", Reason: groundwire.ReasonQueueFull}
	e := call(t, failing(t, codes.Internal, other))
	if e.Reason != "" {
		t.Errorf("got the reason %q", e.Reason)
	}
	mustBeOnly(t, e, groundwire.ErrInternal)
}

func TestAReasonThatIsNewerThanTheClientFallsBackToTheCode(t *testing.T) {
	e := call(t, failing(t, codes.InvalidArgument, info("CLAIM_TOO_ODD")))
	if e.Reason != "CLAIM_TOO_ODD" {
		t.Errorf("got the reason %q", e.Reason)
	}
	mustBeOnly(t, e, groundwire.ErrInvalidRequest)
}

func TestViolationsNameTheFields(t *testing.T) {
	e := call(t, failing(t, codes.InvalidArgument, info(groundwire.ReasonEmptyClaim), &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "claims[2]", Description: "is empty"},
			{Field: "claims[17]", Description: "is blank"},
		},
	}))
	want := []groundwire.FieldViolation{
		{Field: "claims[2]", Description: "is empty"},
		{Field: "claims[17]", Description: "is blank"},
	}
	if !slices.Equal(e.Violations, want) {
		t.Errorf("got %v", e.Violations)
	}
}

func TestTheTextOfAnErrorHasTheReasonOrElseTheCode(t *testing.T) {
	cases := map[string]*groundwire.Error{
		"groundwire: LOADING: not yet":      {Code: codes.Unavailable, Reason: groundwire.ReasonLoading, Message: "not yet"},
		"groundwire: Unavailable: no route": {Code: codes.Unavailable, Message: "no route"},
	}
	for want, e := range cases {
		if e.Error() != want {
			t.Errorf("got  %s\nwant %s", e, want)
		}
	}
}

func TestRetryAfterIsWhatTheServerSaid(t *testing.T) {
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)}
	e := call(t, failing(t, codes.ResourceExhausted, info(groundwire.ReasonQueueFull), retry))
	if e.RetryAfter != 1500*time.Millisecond {
		t.Errorf("got %v", e.RetryAfter)
	}
}

func TestStatusReadsAWrappedError(t *testing.T) {
	e := call(t, failing(t, codes.ResourceExhausted, info(groundwire.ReasonQueueFull)))
	wrapped := fmt.Errorf("while checking the answer: %w", e)
	s, ok := status.FromError(wrapped)
	if !ok || s.Code() != codes.ResourceExhausted || len(s.Details()) != 1 {
		t.Errorf("got %v, %v", s, ok)
	}
	if !errors.Is(wrapped, groundwire.ErrServerBusy) {
		t.Errorf("%v is not ErrServerBusy", wrapped)
	}
}

func TestAnErrorMadeByHandHasAStatusToo(t *testing.T) {
	e := &groundwire.Error{Code: codes.Unavailable, Reason: groundwire.ReasonLoading, Message: "loading"}
	if status.Code(e) != codes.Unavailable || !errors.Is(e, groundwire.ErrUnavailable) {
		t.Errorf("got %v", status.Code(e))
	}
}

func TestTheErrorsOfPackageContextMatchTheirCodesOnly(t *testing.T) {
	internal := &groundwire.Error{Code: codes.Internal}
	if errors.Is(internal, context.DeadlineExceeded) || errors.Is(internal, context.Canceled) {
		t.Error("an internal error is an error of package context")
	}
}
