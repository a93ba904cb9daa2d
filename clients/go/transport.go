package groundwire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
)

// serviceConfig has the retries: gRPC waits 0.2 s, 0.4 s and 0.8 s, give or
// take a fifth, between the four attempts. They have a budget: a failed attempt
// takes one token, a call that succeeds gives a tenth back, and with half of the
// tokens or fewer nothing is tried again. So a server that is down gets one
// attempt a call, and one that fails now and then at most a tenth more.
const serviceConfig = `{
	"retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
	"methodConfig": [{
		"name": [
			{"service": "groundwire.v1.VerifierBackend"},
			{"service": "groundwire.v1.HallucinationDetection"},
			{"service": "groundwire.v1.MemoryGate"},
			{"service": "groundwire.v1.Similarity"}
		],
		"retryPolicy": {
			"maxAttempts": 4,
			"initialBackoff": "0.2s",
			"maxBackoff": "2s",
			"backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

// retryOverheadBytes is what gRPC counts into the retry buffer beside the
// message itself, rounded up.
const retryOverheadBytes = 1024

// A connection whose other end is gone without a word, as behind a router that
// lost its table, would be used on for a quarter of an hour. So while calls wait,
// the server is asked for a sign of life; without one the connection is given up,
// within a call's usual time, and the call tried again.
const (
	keepaliveTime    = 10 * time.Second
	keepaliveTimeout = 10 * time.Second
)

// dial returns every option that the channel to the target is made with.
func (s *settings) dial(target string) ([]grpc.DialOption, error) {
	transport, err := s.transportCredentials(target)
	if err != nil {
		return nil, err
	}
	alive := keepalive.ClientParameters{Time: keepaliveTime, Timeout: keepaliveTimeout}
	options := append([]grpc.DialOption{grpc.WithKeepaliveParams(alive)}, s.dialOptions...)
	options = append(options,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig),
		// A service config from DNS would replace the one above.
		grpc.WithDisableServiceConfig(),
		grpc.WithChainUnaryInterceptor(sendContextHash),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(s.maxMessageBytes),
			grpc.MaxCallSendMsgSize(s.maxMessageBytes),
			// gRPC does not retry a call whose message exceeds this buffer,
			// by default 256 KiB, which a long context does.
			grpc.MaxRetryRPCBufferSize(s.maxMessageBytes+retryOverheadBytes),
		),
	)
	if s.hasToken {
		bearer := bearerToken{header: "Bearer " + s.token, tlsOnly: s.tls.enabled}
		options = append(options, grpc.WithPerRPCCredentials(bearer))
	}
	return options, nil
}

// transportCredentials decides between TLS, plaintext and a refusal.
func (s *settings) transportCredentials(target string) (credentials.TransportCredentials, error) {
	if s.tls.enabled {
		config, err := s.tls.config()
		if err != nil {
			return nil, err
		}
		return credentials.NewTLS(config), nil
	}
	if !s.plaintextAllowed && !isLocal(target) {
		return nil, fmt.Errorf("groundwire: the target %q is not a loopback address, and without TLS"+
			" the claims, the evidence and the token would cross the network in plaintext: give"+
			" WithTLS or WithCAFile, or WithPlaintextAllowed if the network itself protects the traffic", target)
	}
	return insecure.NewCredentials(), nil
}

// config builds the TLS configuration from the options.
func (t *tlsSettings) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.base != nil {
		config = t.base.Clone()
	}
	if t.hasCA {
		pem, err := os.ReadFile(t.caFile)
		if err != nil {
			return nil, fmt.Errorf("groundwire: WithCAFile: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("groundwire: WithCAFile: %s holds no PEM certificate", t.caFile)
		}
	}
	if t.hasCertificate {
		certificate, err := tls.LoadX509KeyPair(t.certFile, t.keyFile)
		if err != nil {
			return nil, fmt.Errorf("groundwire: WithClientCertificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
		config.GetClientCertificate = nil
	}
	return config, nil
}

// bearerToken sends a token with every call.
type bearerToken struct {
	header  string
	tlsOnly bool
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b bearerToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": b.header}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials. gRPC
// refuses to make a channel without TLS when it is true.
func (b bearerToken) RequireTransportSecurity() bool { return b.tlsOnly }

// isLocal reports whether the traffic to the target stays on this machine. It
// reads the target as gRPC does, so that both see the same host.
func isLocal(target string) bool {
	parsed, err := url.Parse(target)
	if err != nil || resolver.Get(parsed.Scheme) == nil {
		// No scheme, or none that gRPC knows: gRPC takes it for a DNS name.
		parsed, err = url.Parse("dns:///" + target)
		if err != nil {
			return false
		}
	}
	endpoint := resolver.Target{URL: *parsed}.Endpoint()
	switch parsed.Scheme {
	case "unix", "unix-abstract":
		return true
	case "passthrough":
		// Without a port it is no network address: only a dialer that the
		// caller gave can reach it, such as that of an in-memory server.
		host, _, err := net.SplitHostPort(endpoint)
		return err != nil || isLoopbackHost(host)
	case "dns":
		// An authority is a DNS server, which may place "localhost" anywhere.
		if parsed.Host != "" {
			return false
		}
		host, _, err := net.SplitHostPort(endpoint)
		if err != nil {
			host = strings.Trim(endpoint, "[]")
		}
		return isLoopbackHost(host)
	default:
		return false
	}
}

// isLoopbackHost reports whether the host is localhost or a loopback address.
func isLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
