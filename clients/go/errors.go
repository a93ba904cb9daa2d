package groundwire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The sentinels say what kind of failure an [*Error] is, by errors.Is. The
// reason in the error decides; the gRPC code decides only when the error has no
// reason that this package knows, as when the network and not the server failed.
var (
	// ErrInvalidRequest: the server refused the request. [Error.Reason] says
	// why and [Error.Violations] names the fields. Trying again cannot help.
	ErrInvalidRequest = errors.New("groundwire: invalid request")
	// ErrUnauthenticated: the token is missing or unknown; see [WithToken].
	ErrUnauthenticated = errors.New("groundwire: unauthenticated")
	// ErrServerBusy: the server has too much to do, or the caller's tenant has
	// used its quota. [Error.RetryAfter] says when to try again.
	ErrServerBusy = errors.New("groundwire: server busy")
	// ErrResourceExhausted: a limit of the transport or on the response was met,
	// most often that on the bytes of a message; see [WithMaxMessageBytes].
	ErrResourceExhausted = errors.New("groundwire: resource exhausted")
	// ErrUnavailable: the server cannot be reached, loads its model, is
	// stopping, or has failed. The retries have been used up.
	ErrUnavailable = errors.New("groundwire: unavailable")
	// ErrDeadlineExceeded: the time ran out. errors.Is with
	// [context.DeadlineExceeded] holds too.
	ErrDeadlineExceeded = errors.New("groundwire: deadline exceeded")
	// ErrCanceled: the call's context was cancelled or the client was closed.
	// errors.Is with [context.Canceled] holds too.
	ErrCanceled = errors.New("groundwire: canceled")
	// ErrNotEnabled: the server's operator has not switched on what the call
	// asks for. The message names the setting.
	ErrNotEnabled = errors.New("groundwire: not enabled")
	// ErrNotFound: what the call names by its id is not there, or another
	// caller's.
	ErrNotFound = errors.New("groundwire: not found")
	// ErrInternal: a bug in the server, or an answer that is against the
	// contract. Such an answer is never passed on.
	ErrInternal = errors.New("groundwire: internal error")

	// ErrNoProbability: the call succeeded, but the model cannot answer a
	// claim, which is neither supported nor unsupported. [*NoProbabilityError]
	// says which claims. It is never the kind of an [*Error].
	ErrNoProbability = errors.New("groundwire: no probability")
)

// The reasons of the contract, as [Error.Reason] holds them. A newer server may
// send others.
const (
	// ReasonMalformedRequest: the bytes are not a valid request, or a text is
	// not valid UTF-8.
	ReasonMalformedRequest = "MALFORMED_REQUEST"
	// ReasonEmptyBatch: a batch without claims.
	ReasonEmptyBatch = "EMPTY_BATCH"
	// ReasonTooManyClaims: more than [Limits.MaxClaims] claims, or a call that
	// needs more than [Limits.MaxPrompts], [Limits.MaxClaimsCharacters] or
	// [Limits.MaxEvidenceCharacters].
	ReasonTooManyClaims = "TOO_MANY_CLAIMS"
	// ReasonEmptyClaim: a claim without a visible character.
	ReasonEmptyClaim = "EMPTY_CLAIM"
	// ReasonClaimTooLong: a claim beyond [Limits.MaxClaimTokens] or
	// [Limits.MaxTextCharacters].
	ReasonClaimTooLong = "CLAIM_TOO_LONG"
	// ReasonContextTooLong: evidence beyond [Limits.MaxContextTokens] or
	// [Limits.MaxTextCharacters].
	ReasonContextTooLong = "CONTEXT_TOO_LONG"
	// ReasonUnknownBackend: a backend that is not in [ServerInfo.Backends].
	ReasonUnknownBackend = "UNKNOWN_BACKEND"
	// ReasonInvalidToken: no token, or one that the server does not know.
	ReasonInvalidToken = "INVALID_TOKEN"
	// ReasonQueueFull: the server's queue is full.
	ReasonQueueFull = "QUEUE_FULL"
	// ReasonOverloaded: the server foresees that the answer would come after the
	// call's deadline, and did not begin.
	ReasonOverloaded = "OVERLOADED"
	// ReasonLoading: the model is still being loaded.
	ReasonLoading = "LOADING"
	// ReasonDraining: the server is stopping.
	ReasonDraining = "DRAINING"
	// ReasonEngineFailed: the engine died or hangs; the server is about to exit.
	ReasonEngineFailed = "ENGINE_FAILED"
	// ReasonDeadlineExceeded: the call's deadline passed, or the server's own
	// limit for a call did.
	ReasonDeadlineExceeded = "DEADLINE_EXCEEDED"
	// ReasonInternal: a bug in the server.
	ReasonInternal = "INTERNAL"
	// ReasonEmptyText: a text, such as an answer, without a visible character.
	ReasonEmptyText = "EMPTY_TEXT"
	// ReasonTextTooLong: a text beyond [Limits.MaxTextCharacters], or one that
	// takes the server too long to split into claims.
	ReasonTextTooLong = "TEXT_TOO_LONG"
	// ReasonInvalidSource: no source, too many, or one that cannot be used: a
	// bad or repeated id, or a range outside the context.
	ReasonInvalidSource = "INVALID_SOURCE"
	// ReasonInvalidOption: an option or threshold outside its range.
	ReasonInvalidOption = "INVALID_OPTION"
	// ReasonResponseTooLarge: the response would be beyond
	// [Limits.MaxMessageBytes]; the message names the field to shorten.
	ReasonResponseTooLarge = "RESPONSE_TOO_LARGE"
	// ReasonRequestTooLarge: over HTTP, the request is beyond
	// [Limits.MaxMessageBytes].
	ReasonRequestTooLarge = "REQUEST_TOO_LARGE"
	// ReasonNotEnabled: what the call asks for is switched off.
	ReasonNotEnabled = "NOT_ENABLED"
	// ReasonTooManySteps: a trace with more steps than the server takes.
	ReasonTooManySteps = "TOO_MANY_STEPS"
	// ReasonInvalidToolCall: a tool call that cannot be used, or too many.
	ReasonInvalidToolCall = "INVALID_TOOL_CALL"
	// ReasonUnknownCorpus: no corpus of the server has this name, or none was
	// named where there are several, or none.
	ReasonUnknownCorpus = "UNKNOWN_CORPUS"
	// ReasonBackendBusy: the endpoint of a backend takes no more calls now.
	ReasonBackendBusy = "BACKEND_BUSY"
	// ReasonSpendingLimit: what may be spent on the endpoint of a backend in a
	// day is spent.
	ReasonSpendingLimit = "SPENDING_LIMIT"
	// ReasonBackendUnreachable: the endpoint of a backend gave no usable answer,
	// however often the server tried.
	ReasonBackendUnreachable = "BACKEND_UNREACHABLE"
	// ReasonBackendRefused: the endpoint of a backend refuses what it is asked;
	// the message says what the server's operator has to look at.
	ReasonBackendRefused = "BACKEND_REFUSED"
	// ReasonQueueUnavailable: the store of what is done in the background cannot
	// be used now. Nothing was accepted.
	ReasonQueueUnavailable = "QUEUE_UNAVAILABLE"
	// ReasonNotFound: there is no verification of the caller's with this id.
	ReasonNotFound = "NOT_FOUND"
	// ReasonDetectionNotFound: no detection with this id takes feedback from
	// this caller.
	ReasonDetectionNotFound = "DETECTION_NOT_FOUND"
	// ReasonFeedbackNotStored: the server cannot write the feedback down.
	ReasonFeedbackNotStored = "FEEDBACK_NOT_STORED"
	// ReasonCorpusUnavailable: the corpus cannot be read now; the message says
	// what the server's operator has to do.
	ReasonCorpusUnavailable = "CORPUS_UNAVAILABLE"
	// ReasonUnsupportedByProfile: the backend's model is asked by a profile of its
	// own, and cannot be asked what the call needs; the message says what that is.
	ReasonUnsupportedByProfile = "UNSUPPORTED_BY_PROFILE"
	// ReasonQuotaExceeded: the caller's tenant has used what it may for now; the
	// message names the quota, and [Error.RetryAfter] says when to try again.
	ReasonQuotaExceeded = "QUOTA_EXCEEDED"
)

// errorDomain is the domain of every ErrorInfo of the server.
const errorDomain = "groundwire"

var sentinelByReason = map[string]error{
	ReasonMalformedRequest: ErrInvalidRequest,
	ReasonEmptyBatch:       ErrInvalidRequest,
	ReasonTooManyClaims:    ErrInvalidRequest,
	ReasonEmptyClaim:       ErrInvalidRequest,
	ReasonClaimTooLong:     ErrInvalidRequest,
	ReasonContextTooLong:   ErrInvalidRequest,
	ReasonUnknownBackend:   ErrInvalidRequest,
	ReasonInvalidToken:     ErrUnauthenticated,
	ReasonQueueFull:        ErrServerBusy,
	ReasonOverloaded:       ErrServerBusy,
	ReasonLoading:          ErrUnavailable,
	ReasonDraining:         ErrUnavailable,
	ReasonEngineFailed:     ErrUnavailable,
	ReasonDeadlineExceeded: ErrDeadlineExceeded,
	ReasonInternal:         ErrInternal,
	ReasonEmptyText:        ErrInvalidRequest,
	ReasonTextTooLong:      ErrInvalidRequest,
	ReasonInvalidSource:    ErrInvalidRequest,
	ReasonInvalidOption:    ErrInvalidRequest,
	ReasonNotEnabled:       ErrNotEnabled,
	ReasonTooManySteps:     ErrInvalidRequest,
	ReasonInvalidToolCall:  ErrInvalidRequest,
	ReasonResponseTooLarge: ErrResourceExhausted,
	ReasonRequestTooLarge:  ErrResourceExhausted,

	ReasonBackendBusy:        ErrServerBusy,
	ReasonSpendingLimit:      ErrServerBusy,
	ReasonBackendUnreachable: ErrUnavailable,
	ReasonBackendRefused:     ErrUnavailable,
	ReasonQueueUnavailable:   ErrUnavailable,
	ReasonNotFound:           ErrNotFound,
	ReasonDetectionNotFound:  ErrNotFound,
	ReasonFeedbackNotStored:  ErrUnavailable,
	ReasonCorpusUnavailable:  ErrUnavailable,

	ReasonUnsupportedByProfile: ErrNotEnabled,
	ReasonQuotaExceeded:        ErrServerBusy,
}

var sentinelByCode = map[codes.Code]error{
	codes.InvalidArgument:   ErrInvalidRequest,
	codes.NotFound:          ErrNotFound,
	codes.Unauthenticated:   ErrUnauthenticated,
	codes.ResourceExhausted: ErrResourceExhausted,
	codes.Unavailable:       ErrUnavailable,
	codes.DeadlineExceeded:  ErrDeadlineExceeded,
	codes.Canceled:          ErrCanceled,
	codes.Internal:          ErrInternal,
	codes.Unknown:           ErrInternal,
}

// FieldViolation is one field of a request that the server refused.
type FieldViolation struct {
	// Field is the field's name in the contract, such as "claims[17]".
	Field string
	// Description says what is wrong with it.
	Description string
}

// Error is the failure of a call, of the network or of the server.
type Error struct {
	// Code is the gRPC code; never codes.OK.
	Code codes.Code
	// Reason is the server's reason, such as [ReasonQueueFull]. Empty when the
	// error does not come from a Groundwire server.
	Reason string
	// Message is the text for people; the server names the first refused field
	// in it. It may change between releases.
	Message string
	// Violations are the refused fields, for an invalid request.
	Violations []FieldViolation
	// RetryAfter is how long to wait before another try. 0: not said.
	RetryAfter time.Duration

	status *status.Status
}

// Error returns the reason, or the code where there is none, and the message.
func (e *Error) Error() string {
	kind := e.Reason
	if kind == "" {
		kind = e.Code.String()
	}
	return "groundwire: " + kind + ": " + e.Message
}

// Is reports whether the target is the sentinel for this error, or the error of
// package context for a deadline that passed or a call that was cancelled.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Code == codes.DeadlineExceeded
	case context.Canceled:
		return e.Code == codes.Canceled
	}
	sentinel, ok := sentinelByReason[e.Reason]
	if !ok {
		sentinel, ok = sentinelByCode[e.Code]
	}
	return ok && target == sentinel
}

// GRPCStatus returns the status that the error was made from, details included,
// so that status.FromError and status.Code work on the error, wrapped or not.
func (e *Error) GRPCStatus() *status.Status {
	if e.status != nil {
		return e.status
	}
	return status.New(e.Code, e.Message)
}

// newError makes an Error from what a gRPC call returned.
func newError(err error) *Error {
	s := status.Convert(err)
	e := &Error{Code: s.Code(), Message: s.Message(), status: s}
	for _, detail := range s.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				e.Reason = detail.GetReason()
			}
		case *errdetails.BadRequest:
			for _, v := range detail.GetFieldViolations() {
				e.Violations = append(e.Violations, FieldViolation{v.GetField(), v.GetDescription()})
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return e
}

// badRequest makes the Error for a request that cannot be sent to be refused.
func badRequest(reason string, violations []FieldViolation) *Error {
	return &Error{
		Code:       codes.InvalidArgument,
		Reason:     reason,
		Message:    violations[0].Field + ": " + violations[0].Description,
		Violations: violations,
	}
}

// badResponse makes the Error for an answer that is against the contract.
func badResponse(format string, args ...any) *Error {
	return &Error{Code: codes.Internal, Message: "bad response: " + fmt.Sprintf(format, args...)}
}

// NoProbabilityError says which claims the model could not answer. errors.Is
// with [ErrNoProbability] holds for it.
type NoProbabilityError struct {
	// Indices are the positions of those claims in the call, ascending and
	// never empty. For a call with one claim it is 0.
	Indices []int
}

// Error returns the number of the claims and the first position.
func (e *NoProbabilityError) Error() string {
	if len(e.Indices) == 0 {
		return ErrNoProbability.Error()
	}
	return fmt.Sprintf("%v: the model cannot answer %d of the claims, the first at index %d",
		ErrNoProbability, len(e.Indices), e.Indices[0])
}

// Unwrap returns [ErrNoProbability].
func (e *NoProbabilityError) Unwrap() error { return ErrNoProbability }
