package groundwire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// identity is a certificate that signs itself, for the server and for the
// client, and its PEM files.
type identity struct {
	certificate       tls.Certificate
	pool              *x509.CertPool
	certFile, keyFile string
}

// newIdentity makes a certificate for 127.0.0.1.
func newIdentity(t *testing.T) identity {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	folder := t.TempDir()
	id := identity{certFile: filepath.Join(folder, "cert.pem"), keyFile: filepath.Join(folder, "key.pem")}
	must(os.WriteFile(id.certFile, certPEM, 0o600))
	must(os.WriteFile(id.keyFile, keyPEM, 0o600))
	id.certificate, err = tls.X509KeyPair(certPEM, keyPEM)
	must(err)
	id.pool = x509.NewCertPool()
	id.pool.AppendCertsFromPEM(certPEM)
	return id
}

// serveTLS runs a server on a loopback port that asks for a client certificate
// of the identity, and that records the authorization header. It returns its
// address.
func serveTLS(t *testing.T, id identity, authorization *[]string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{id.certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    id.pool,
	})))
	pb.RegisterVerifierBackendServer(server, &scripted{
		info: func(ctx context.Context, _ *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			*authorization = metadata.ValueFromIncomingContext(ctx, "authorization")
			return &pb.GetServerInfoResponse{}, nil
		},
	})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// callTLS makes one call to the target.
func callTLS(t *testing.T, target string, options ...groundwire.Option) error {
	t.Helper()
	client, err := groundwire.New(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	_, err = client.ServerInfo(t.Context())
	return err
}

func TestTheTokenIsSentOverMutualTLS(t *testing.T) {
	id := newIdentity(t)
	var sent []string
	target := serveTLS(t, id, &sent)
	err := callTLS(t, target, groundwire.WithCAFile(id.certFile),
		groundwire.WithClientCertificate(id.certFile, id.keyFile), groundwire.WithToken("s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sent, []string{"Bearer s3cret"}) {
		t.Errorf("got %q", sent)
	}
}

func TestWithTLSUsesTheGivenConfiguration(t *testing.T) {
	id := newIdentity(t)
	var sent []string
	target := serveTLS(t, id, &sent)
	config := &tls.Config{RootCAs: id.pool, Certificates: []tls.Certificate{id.certificate}}
	if err := callTLS(t, target, groundwire.WithTLS(config)); err != nil {
		t.Error(err)
	}
}

func TestAServerOfAnotherAuthorityIsNotTrusted(t *testing.T) {
	t.Parallel()
	var sent []string
	target := serveTLS(t, newIdentity(t), &sent)
	err := callTLS(t, target, groundwire.WithCAFile(newIdentity(t).certFile), groundwire.WithToken("s3cret"))
	if !errors.Is(err, groundwire.ErrUnavailable) || sent != nil {
		t.Errorf("got %v, and the server got %q", err, sent)
	}
}
