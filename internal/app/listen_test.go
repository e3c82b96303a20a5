package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

// writePair writes a new self-signed certificate of this serial number, whose files are of the given time.
func writePair(t *testing.T, certFile, keyFile string, serial int64, changed time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "banca.test"}, DNSNames: []string{"banca.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: raw}} {
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
		require.NoError(t, os.Chtimes(file, changed, changed))
	}
}

// The TLS listener speaks 1.2 and 1.3 only, prefers 1.3, marks requests as encrypted, and serves a renewed
// certificate without a restart; after a broken renewal it keeps the last valid one.
func TestTLSListener(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	writePair(t, certFile, keyFile, 1, begin)
	clk := clock.NewFake(begin)
	a := &App{cfg: &config.Config{HTTP: config.HTTP{Addr: "127.0.0.1:0", TLSAddr: "127.0.0.1:0", TLSCertFile: certFile, TLSKeyFile: keyFile}}, clock: clk, log: slog.New(slog.DiscardHandler)}
	listeners, err := a.listen(t.Context())
	require.NoError(t, err)
	require.Len(t, listeners, 2)
	encrypted := make(chan bool, 1)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { encrypted <- r.TLS != nil })}
	for _, l := range listeners {
		go func() { _ = server.Serve(l) }()
	}
	t.Cleanup(func() { require.NoError(t, server.Close()) })

	require.False(t, getOver(t, "http", listeners[0], nil, encrypted))
	require.True(t, getOver(t, "https", listeners[1], &tls.Config{InsecureSkipVerify: true}, encrypted))
	version, serial, err := handshake(t, listeners[1], 0)
	require.NoError(t, err)
	require.EqualValues(t, tls.VersionTLS13, version)
	require.EqualValues(t, 1, serial)
	version, _, err = handshake(t, listeners[1], tls.VersionTLS12)
	require.NoError(t, err)
	require.EqualValues(t, tls.VersionTLS12, version)
	_, _, err = handshake(t, listeners[1], tls.VersionTLS11)
	require.Error(t, err)

	served := func() int64 {
		clk.Advance(2 * certificateCheck)
		_, serial, err := handshake(t, listeners[1], 0)
		require.NoError(t, err)
		return serial
	}
	writePair(t, certFile, keyFile, 2, begin.Add(time.Hour))
	require.EqualValues(t, 2, served())
	require.NoError(t, os.WriteFile(certFile, []byte("half"), 0o600))
	require.EqualValues(t, 2, served())
	require.NoError(t, os.Remove(keyFile))
	require.EqualValues(t, 2, served())
	writePair(t, certFile, keyFile, 3, begin.Add(2*time.Hour))
	require.EqualValues(t, 3, served())
}

func TestTLSNeedsItsFiles(t *testing.T) {
	t.Parallel()
	a := &App{cfg: &config.Config{HTTP: config.HTTP{Addr: "127.0.0.1:0", TLSCertFile: "no.pem", TLSKeyFile: "no.pem"}}, clock: clock.System{}, log: slog.New(slog.DiscardHandler)}
	_, err := a.listen(t.Context())
	require.ErrorContains(t, err, "TLS_CERT_FILE")
}

func getOver(t *testing.T, scheme string, l net.Listener, config *tls.Config, encrypted <-chan bool) bool {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+l.Addr().String(), http.NoBody)
	require.NoError(t, err)
	res, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return <-encrypted
}

// handshake connects with at most the version most, 0 for any, and returns the negotiated version and the serial
// number.
func handshake(t *testing.T, l net.Listener, most uint16) (version uint16, serial int64, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: most, ServerName: "banca.test"}}
	conn, err := dialer.DialContext(ctx, "tcp", l.Addr().String())
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = conn.Close() }()
	secure, ok := conn.(*tls.Conn)
	require.True(t, ok)
	state := secure.ConnectionState()
	return state.Version, state.PeerCertificates[0].SerialNumber.Int64(), nil
}
