package groundwire

import (
	"strings"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// ServerInfo is the answer to [Client.ServerInfo].
type ServerInfo struct {
	// Version is the version of the server, as "major.minor.patch".
	Version string `pb:"server_version"`
	// State is the state of the default backend.
	State State
	// Backends are the names for [WithBackend], the default first.
	Backends []string
	// Model is the name of the default backend's model.
	Model string
	// WindowTokens is the model's window in tokens, prompt and answer
	// together. 0 while loading.
	WindowTokens int
	// DType is the data type of the model's weights, such as "bfloat16". Empty
	// while loading.
	DType string
	// PromptVersion is the version of the prompt that asks, such as "yes-no/1".
	PromptVersion string
	// LabelForms are the forms of the labels that are read. Empty while loading.
	LabelForms []LabelForm
	// LabelMassFloor is the label mass, in [0, 1], below which an estimate has
	// no probability.
	LabelMassFloor float64
	// Limits are the limits in force.
	Limits Limits
	// Identity tells this model, asked with this prompt, from all others: a
	// SHA-256 in hex. Empty while loading, and from an older server.
	Identity string
	// Calibration is the calibration of the model's probabilities. Nil: there is
	// none, or the server is loading.
	Calibration *Calibration
	// Uncalibrated reports whether it serves without a calibration.
	Uncalibrated bool
}

// State is the state of a backend. A newer server may send others than those
// named here.
type State string

const (
	// StateLoading: the model is being loaded or warmed up; calls fail with
	// [ErrUnavailable].
	StateLoading State = "LOADING"
	// StateServing: calls are answered.
	StateServing State = "SERVING"
	// StateDraining: the server is stopping; new calls fail with
	// [ErrUnavailable].
	StateDraining State = "DRAINING"
	// StateFailed: the engine is dead or hangs; the server is about to exit.
	StateFailed State = "FAILED"
)

// Calibration describes how raw probabilities become calibrated ones: by a
// function that never falls.
type Calibration struct {
	// Method is its form.
	Method CalibrationMethod
	// Rows are the labelled claims that it was fitted on.
	Rows int
	// Data says in words what these claims were.
	Data string
	// OperatingPoints are the confidences, in [0, 1], that claims can be asked
	// for by name. Empty: none was chosen.
	OperatingPoints map[Strictness]float64 `pb:"-"`
}

// Strictness names a confidence that claims are asked for, by what it does to
// [VerdictSupported]. A newer server may send others than those named here.
type Strictness string

const (
	// StrictnessBalanced: at most .15 of the unsupported claims are supported.
	StrictnessBalanced Strictness = "BALANCED"
	// StrictnessStrict: at most .05 of the unsupported claims are supported,
	// unless it was calibrated for another rate.
	StrictnessStrict Strictness = "STRICT"
	// StrictnessLenient: at most .30 of the unsupported claims are supported.
	StrictnessLenient Strictness = "LENIENT"
)

// CalibrationMethod is the form of a calibration. A newer server may send
// others than those named here.
type CalibrationMethod string

const (
	// CalibrationPlatt: a logistic function of the log-odds, Platt scaling.
	CalibrationPlatt CalibrationMethod = "PLATT"
	// CalibrationIsotonic: isotonic regression, interpolated.
	CalibrationIsotonic CalibrationMethod = "ISOTONIC"
)

// LabelForm is one surface form of a label and the token that starts it.
type LabelForm struct {
	// Label is the label that the form counts for: "YES", "NO" or "UNSURE".
	Label string
	// Text is the form itself, such as " Yes".
	Text string
	// TokenID is the token whose probability is read: the form's first.
	TokenID int
}

// Limits are the limits that the server enforces. The client does not check
// them. Characters are Unicode code points.
type Limits struct {
	// MaxClaims is the number of claims in one call. Never above 1,000.
	MaxClaims int
	// MaxClaimTokens is the length of one claim, in tokens of the model.
	MaxClaimTokens int
	// MaxContextTokens is the length of the evidence, in tokens of the model.
	// 0 while loading.
	MaxContextTokens int
	// MaxTextCharacters is the length of any one text, in characters.
	MaxTextCharacters int
	// MaxMessageBytes is the size of one message, in bytes, in either
	// direction.
	MaxMessageBytes int
	// MaxPendingClaims is how many claims, of all callers, may wait or run at
	// one time. A call that would go beyond fails with [ErrServerBusy].
	MaxPendingClaims int
	// MaxSources is the number of sources in one call that verifies.
	MaxSources int
	// MaxPrompts is the number of prompts that one call that verifies may need.
	MaxPrompts int
	// MaxEvidenceCharacters is the number of characters of all distinct
	// contexts that one call that verifies may need: its evidence, and once more
	// each way in which sources are removed from it.
	MaxEvidenceCharacters int
	// MaxClaimsCharacters is the number of characters of all claims of one
	// call.
	MaxClaimsCharacters int
	// MaxExtractedClaims is the number of claims of one text or answer,
	// whatever becomes of them.
	MaxExtractedClaims int
	// MaxQuestionCharacters is the length of the question of an answer, in
	// characters.
	MaxQuestionCharacters int
	// MaxTitleCharacters is the length of a document's title, in characters.
	MaxTitleCharacters int
	// MaxIDCharacters is the length of an id, of a source or cited, in
	// characters.
	MaxIDCharacters int
	// MaxCitedIDs is the number of ids that one claim of a call may cite.
	MaxCitedIDs int
	// MaxCitationStyles is the number of citation styles of one call.
	MaxCitationStyles int
	// MaxCitationPrefixes is the number of citation prefixes of one call.
	MaxCitationPrefixes int
	// MaxCitationPrefixCharacters is the length of a citation prefix, in
	// characters, all of them letters.
	MaxCitationPrefixCharacters int
	// MaxMessageFields is the number of fields of one request, those of all
	// messages in it and values of repeated ones included.
	MaxMessageFields int
	// MaxPendingCalls is how many calls, of all callers, may wait or run at one
	// time. 0 from an older server.
	MaxPendingCalls int
	// MaxPendingBytes is how many bytes the requests of these calls may have. 0
	// from an older server.
	MaxPendingBytes int64
	// MaxTextIDs is how many ids the citations of one text or answer may name. 0
	// from an older server.
	MaxTextIDs int
	// MaxMarkerCharacters is the length of the marker that stands for removed
	// evidence, in characters. 0 from an older server.
	MaxMarkerCharacters int
}

// newServerInfo reads the server's description of itself.
func newServerInfo(m *pb.GetServerInfoResponse) (*ServerInfo, error) {
	r, info := &reading{at: "the response"}, &ServerInfo{}
	r.fill(info, m)
	for _, point := range m.GetCalibration().GetOperatingPoints() {
		if info.Calibration.OperatingPoints == nil {
			info.Calibration.OperatingPoints = map[Strictness]float64{}
		}
		name := strings.TrimPrefix(point.GetStrictness().String(), "STRICTNESS_")
		info.Calibration.OperatingPoints[Strictness(name)] = point.GetConfidence()
	}
	return done(r, info)
}
