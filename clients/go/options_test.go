package groundwire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	groundwire "github.com/groundwire/groundwire/clients/go"
)

// mustRefuse fails the test unless New refuses with a text that has the words.
func mustRefuse(t *testing.T, words string, target string, options ...groundwire.Option) {
	t.Helper()
	client, err := groundwire.New(target, options...)
	if err == nil {
		_ = client.Close()
		t.Fatalf("New(%q) accepted what it should refuse", target)
	}
	if !strings.HasPrefix(err.Error(), "groundwire: ") || !strings.Contains(err.Error(), words) {
		t.Errorf("the error %q does not say %q", err, words)
	}
}

// mustAccept fails the test unless New makes a client.
func mustAccept(t *testing.T, target string, options ...groundwire.Option) {
	t.Helper()
	client, err := groundwire.New(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestPlaintextIsAllowedToLocalTargets(t *testing.T) {
	for _, target := range []string{
		"localhost:50051",
		"LOCALHOST:50051",
		"localhost",
		"127.0.0.1:50051",
		"127.8.9.10:50051",
		"[::1]:50051",
		"::1",
		"[::ffff:127.0.0.1]:50051",
		"dns:localhost:50051",
		"dns:///localhost:50051",
		"passthrough:///127.0.0.1:50051",
		"passthrough:///in-memory",
		"unix:server.sock",
		"unix:///run/server.sock",
		"unix-abstract:server",
	} {
		t.Run(target, func(t *testing.T) { mustAccept(t, target, groundwire.WithToken("s3cret")) })
	}
}

func TestPlaintextIsRefusedToOtherTargets(t *testing.T) {
	for _, target := range []string{
		"verifier.example:50051",
		"10.0.0.1:50051",
		"0.0.0.0:50051",
		"[2001:db8::1]:50051",
		"localhost.example:50051",
		"127.0.0.1.example:50051",
		"dns:///verifier.example:50051",
		"dns://192.0.2.1/localhost:50051",
		"passthrough:///10.0.0.1:50051",
		"https://localhost:50051",
	} {
		t.Run(target, func(t *testing.T) {
			mustRefuse(t, "give WithTLS", target)
			mustRefuse(t, "give WithTLS", target, groundwire.WithToken("s3cret"))
		})
	}
}

func TestPlaintextAllowedPermitsOtherTargets(t *testing.T) {
	mustAccept(t, "verifier.example:50051", groundwire.WithPlaintextAllowed(), groundwire.WithToken("s3cret"))
}

func TestTLSPermitsOtherTargets(t *testing.T) {
	mustAccept(t, "verifier.example:50051", groundwire.WithTLS(nil), groundwire.WithToken("s3cret"))
}

func TestNewRefusesAnEmptyTarget(t *testing.T) {
	mustRefuse(t, "the target is empty", "")
}

func TestNewRefusesOptionsOutOfRange(t *testing.T) {
	cases := map[string]struct {
		option groundwire.Option
		words  string
	}{
		"no time":            {groundwire.WithTimeout(0), "WithTimeout"},
		"negative time":      {groundwire.WithTimeout(-1), "WithTimeout"},
		"no bytes":           {groundwire.WithMaxMessageBytes(0), "WithMaxMessageBytes"},
		"too many bytes":     {groundwire.WithMaxMessageBytes(1<<30 + 1), "WithMaxMessageBytes"},
		"empty token":        {groundwire.WithToken(""), "the token is empty"},
		"token and line end": {groundwire.WithToken("s3cret\n"), "byte 6 of the token"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { mustRefuse(t, c.words, "localhost:50051", c.option) })
	}
}

func TestTheRefusalOfATokenDoesNotShowIt(t *testing.T) {
	_, err := groundwire.New("localhost:50051", groundwire.WithToken("s3cret\n"))
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

func TestNewRefusesTLSFilesThatCannotBeUsed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.pem")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		option groundwire.Option
		words  string
	}{
		"missing CA file":      {groundwire.WithCAFile(missing), "WithCAFile"},
		"unnamed CA file":      {groundwire.WithCAFile(""), "WithCAFile"},
		"CA file without CA":   {groundwire.WithCAFile(empty), "holds no PEM certificate"},
		"missing certificate":  {groundwire.WithClientCertificate(missing, missing), "WithClientCertificate"},
		"certificate is empty": {groundwire.WithClientCertificate(empty, empty), "WithClientCertificate"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { mustRefuse(t, c.words, "localhost:50051", c.option) })
	}
}
