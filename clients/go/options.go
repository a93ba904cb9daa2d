package groundwire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
)

const (
	// DefaultTimeout is the time that a call has when its context has no
	// deadline and [WithTimeout] is not given.
	DefaultTimeout = 30 * time.Second

	// DefaultMaxMessageBytes is the limit for one message, in bytes, when
	// [WithMaxMessageBytes] is not given: 16 MiB, as the server's own default.
	DefaultMaxMessageBytes = 16 << 20

	// maxMessageBytesLimit bounds WithMaxMessageBytes, so that no sum with it
	// overflows on any platform.
	maxMessageBytesLimit = 1 << 30
)

// Option configures a [Client].
type Option func(*settings)

// settings is what the options of New amount to.
type settings struct {
	timeout          time.Duration
	token            string
	hasToken         bool
	tls              tlsSettings
	plaintextAllowed bool
	maxMessageBytes  int
	dialOptions      []grpc.DialOption
}

// tlsSettings is what the TLS options of New amount to.
type tlsSettings struct {
	enabled bool
	base    *tls.Config
	caFile  string
	hasCA   bool
	// The files of the client certificate.
	certFile, keyFile string
	hasCertificate    bool
}

// WithTimeout sets the time that a call may take when its context has no
// deadline, retries included. It must be positive: there is always a deadline.
// The default is [DefaultTimeout].
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}

// WithToken sends the token with every call, as the header "authorization:
// Bearer TOKEN". The token must be of visible ASCII characters, so it has no
// spaces and no line end. It goes over TLS only, or over plaintext to the
// targets that may have plaintext: loopback ones, or any with
// [WithPlaintextAllowed].
func WithToken(token string) Option {
	return func(s *settings) { s.token, s.hasToken = token, true }
}

// WithTLS turns TLS on with the given configuration, of which the client takes
// a copy. A nil configuration means Go's defaults: the system's authorities and
// at least TLS 1.2.
func WithTLS(config *tls.Config) Option {
	return func(s *settings) { s.tls.enabled, s.tls.base = true, config }
}

// WithCAFile turns TLS on and trusts exactly the authorities in the PEM file,
// in place of those of the system or of [WithTLS]. New fails if the file cannot
// be read or holds no certificate.
func WithCAFile(path string) Option {
	return func(s *settings) { s.tls.enabled, s.tls.caFile, s.tls.hasCA = true, path, true }
}

// WithClientCertificate turns TLS on and shows the server the certificate in
// the PEM file certFile, whose private key is in the PEM file keyFile, in place
// of those of [WithTLS]. New fails if they cannot be read or do not match. They
// are read once; for certificates that are replaced while the client lives, use
// [WithTLS] with GetClientCertificate.
func WithClientCertificate(certFile, keyFile string) Option {
	return func(s *settings) {
		s.tls.enabled = true
		s.tls.certFile, s.tls.keyFile, s.tls.hasCertificate = certFile, keyFile, true
	}
}

// WithPlaintextAllowed permits plaintext to targets that are not loopback, the
// token of [WithToken] included. Give it only where the network itself protects
// the traffic. It does not turn TLS off when another option turns it on.
func WithPlaintextAllowed() Option {
	return func(s *settings) { s.plaintextAllowed = true }
}

// WithMaxMessageBytes limits one message, in bytes, in both directions: 1 to
// 1 GiB. The default is [DefaultMaxMessageBytes]. A message beyond it fails
// with [ErrResourceExhausted]. The server has a limit of its own, see
// [Limits.MaxMessageBytes].
func WithMaxMessageBytes(n int) Option {
	return func(s *settings) { s.maxMessageBytes = n }
}

// WithDialOptions adds gRPC dial options, such as a stats handler for tracing,
// an interceptor, or the dialer of an in-memory server. They apply before the
// client's own, so that they cannot change its transport credentials, message
// limits and retries: use [WithTLS] in place of grpc.WithTransportCredentials.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dialOptions = append(s.dialOptions, slices.Clone(options)...) }
}

// newSettings applies the options to the defaults and checks the outcome.
func newSettings(options []Option) (*settings, error) {
	s := &settings{timeout: DefaultTimeout, maxMessageBytes: DefaultMaxMessageBytes}
	for _, option := range options {
		option(s)
	}
	if s.timeout <= 0 {
		return nil, fmt.Errorf("groundwire: WithTimeout: %v is not a positive duration", s.timeout)
	}
	if s.maxMessageBytes < 1 || s.maxMessageBytes > maxMessageBytesLimit {
		return nil, fmt.Errorf("groundwire: WithMaxMessageBytes: %d is not in 1 to %d",
			s.maxMessageBytes, maxMessageBytesLimit)
	}
	if s.hasToken {
		if err := checkToken(s.token); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkToken refuses what cannot be sent as a bearer token. The usual cases are
// an unset variable and a line end that was read from a file.
func checkToken(token string) error {
	if token == "" {
		return errors.New("groundwire: WithToken: the token is empty")
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return fmt.Errorf("groundwire: WithToken: byte %d of the token is not a visible ASCII character", i)
		}
	}
	return nil
}

// CallOption configures one call.
type CallOption func(*callSettings)

// callSettings is what the options of a call amount to.
type callSettings struct {
	backend          string
	skipResultCache  bool
	splitLongContext bool
}

// WithBackend asks the backend of that name, one of [ServerInfo.Backends]. The
// empty name is the server's default backend.
func WithBackend(name string) CallOption {
	return func(c *callSettings) { c.backend = name }
}

// WithoutResultCache has every reading of the call computed anew, whatever the
// server's result cache holds.
func WithoutResultCache() CallOption {
	return func(c *callSettings) { c.skipResultCache = true }
}

// WithChunks has a context that is too long read in overlapping chunks; each
// estimate is that of the chunk which supports its claim most, and names it in
// [Estimate].Chunk. Without it such a context is refused.
func WithChunks() CallOption {
	return func(c *callSettings) { c.splitLongContext = true }
}

// newCallSettings applies the options of a call.
func newCallSettings(options []CallOption) callSettings {
	var c callSettings
	for _, option := range options {
		option(&c)
	}
	return c
}
