package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"banca/internal/platform/config"
	"banca/internal/platform/egress"
	"banca/internal/platform/health"
	"banca/storage"
)

const (
	leastDisk   = 2 << 30             // bytes; below it the health page warns
	renewBefore = 14 * 24 * time.Hour // of a certificate
	probeKey    = "doctor/probe"      // of an object that is written, read and removed
	probeBody   = "banca doctor"
	othersRead  = 0o077
)

// file looks at the file of the settings, which holds secrets.
func (e *examination) file(context.Context) {
	if e.File == "" {
		e.ok("settings", "from the environment")
		return
	}
	info, err := os.Stat(e.File)
	if err != nil {
		e.fail("settings", err.Error(), "banca serve --config "+e.File+" writes it")
		return
	}
	if info.Mode().Perm()&othersRead != 0 {
		e.weak("settings", fmt.Sprintf("%s has mode %o: other users of this machine read its secrets", e.File, info.Mode().Perm()),
			"chmod 600 "+e.File)
		return
	}
	e.ok("settings", "%s", e.File)
}

func (e *examination) secrets(context.Context) {
	if e.Config.Secrets.Keys == "" {
		e.weak("secrets", "without SECRET_KEYS no connection of messages and no second factor can be kept",
			"write "+e.where("SECRET_KEYS=first:$(openssl rand -base64 32)"))
		return
	}
	e.ok("secrets", "JWT_SECRET and SECRET_KEYS are set; no backup has them, so keep a copy elsewhere")
}

// objects writes, reads and removes an object in each bucket. A new folder is left to the start, whose user owns it.
func (e *examination) objects(ctx context.Context) {
	const check = "objects"
	mend := "correct the S3_ settings" + e.in()
	if e.Config.ObjectsDir != "" {
		mend = "mkdir -p " + e.Config.ObjectsDir + " and give it to the user that runs banca, or correct OBJECTS_DIR" + e.in()
	}
	if dir := e.Config.ObjectsDir; dir != "" && storage.IsNewFolder(dir) {
		e.ok(check, "%s is new: the first start makes it, and names its owner there", dir)
		return
	}
	for i := range e.Objects {
		o := &e.Objects[i]
		if err := tryBucket(ctx, o, o.Dir != "" || e.Config.Objects.ManageBuckets); errors.Is(err, storage.ErrObjectOwner) {
			e.fail(check, err.Error(), "choose another folder in OBJECTS_DIR"+e.in())
			return
		} else if err != nil {
			e.fail(check, fmt.Sprintf("bucket %s: %v", o.Bucket, err), mend)
			return
		}
	}
	e.ok(check, "written and read in %d buckets", len(e.Objects))
}

func tryBucket(ctx context.Context, o *storage.ObjectsOptions, prepare bool) (err error) {
	objects, err := storage.NewObjects(*o)
	if err != nil {
		return err
	}
	defer objects.Close()
	if prepare { // as a start does
		if err := objects.Prepare(ctx); err != nil {
			return err
		}
	}
	if _, err := objects.Put(ctx, probeKey, "text/plain", []byte(probeBody)); err != nil {
		return err
	}
	body, _, err := objects.Get(ctx, probeKey)
	if err == nil && string(body) != probeBody {
		err = errors.New("what was written was not read")
	}
	return errors.Join(err, objects.Delete(ctx, probeKey))
}

// disk looks at the directories that grow on this machine.
func (e *examination) disk(context.Context) {
	for _, dir := range []string{e.Config.ObjectsDir, "/"} {
		if dir == "" {
			continue
		}
		free, err := health.FreeDisk(dir)
		switch {
		case err != nil:
			e.weak("disk", err.Error(), "look at "+dir)
		case free < leastDisk:
			e.weak("disk", fmt.Sprintf("%d MB are free for %s", free>>20, dir), "make room, or add a disk")
		default:
			e.ok("disk", "%d GB are free for %s", free>>30, dir)
		}
	}
}

// ports looks whether the addresses can be listened at, or banca does already.
func (e *examination) ports(ctx context.Context) {
	addresses := []struct{ name, address string }{
		{"HTTP_ADDR", e.Config.HTTP.Addr}, {"TLS_ADDR", e.Config.HTTP.TLSAddr}, {"OPS_ADDR", e.Config.Telemetry.OpsAddr},
	}
	for _, a := range addresses {
		if a.address == "" {
			continue
		}
		var free net.ListenConfig
		listener, err := free.Listen(ctx, "tcp", a.address)
		switch {
		case err == nil:
			_ = listener.Close()
			e.ok("ports", "%s %s is free", a.name, a.address)
		case errors.Is(err, syscall.EADDRINUSE) && isBanca(ctx, a.address):
			e.ok("ports", "%s %s is banca", a.name, a.address)
		case errors.Is(err, fs.ErrPermission):
			e.fail("ports", fmt.Sprintf("%s %s needs a right that this user lacks", a.name, a.address),
				"choose a port above 1023, or let systemd give CAP_NET_BIND_SERVICE")
		case errors.Is(err, syscall.EADDRINUSE):
			e.fail("ports", fmt.Sprintf("%s %s is used by another program", a.name, a.address),
				"stop that program (ss -ltnp), or correct "+a.name+e.in())
		default:
			e.fail("ports", err.Error(), "correct "+a.name+e.in())
		}
	}
}

// isBanca reports whether the server at an address of this machine answers as banca does.
func isBanca(ctx context.Context, address string) bool {
	reached, err := config.Reached(address)
	if err != nil {
		return false
	}
	for _, scheme := range []string{"http", "https"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+reached+"/healthz", http.NoBody)
		if err != nil {
			return false
		}
		answer, err := localClient().Do(r)
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return true
		}
	}
	return false
}

// localClient asks a server of this machine, whose certificate has another name.
func localClient() *http.Client {
	return &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // loopback
		DisableKeepAlives: true,
	}}
}

// encryption looks at the certificate, or at who else encrypts.
func (e *examination) encryption(context.Context) {
	const check = "tls"
	public, err := url.Parse(e.Config.HTTP.PublicURL)
	if err != nil {
		e.fail(check, "PUBLIC_URL is not an address", "correct PUBLIC_URL"+e.in())
		return
	}
	if e.Config.HTTP.TLSCertFile != "" {
		e.certificate(public.Hostname())
		return
	}
	switch {
	case public.Scheme == "https" && len(e.Config.HTTP.TrustedProxies) == 0:
		e.weak(check, "PUBLIC_URL is https, and neither TLS_CERT_FILE nor a trusted proxy is set: all clients have the proxy's address",
			"write the proxy's address into TRUSTED_PROXIES"+e.in())
	case public.Scheme == "https":
		e.ok(check, "a trusted proxy encrypts %s", public.Host)
	case egress.ThisMachine(public.Hostname()):
		e.ok(check, "%s is this machine alone", public.Host)
	default:
		e.weak(check, "passwords and tickets pass to "+public.Host+" unencrypted, and calls of the bank are refused",
			"set TLS_CERT_FILE and TLS_KEY_FILE, or a proxy with TLS, and https in PUBLIC_URL"+e.in())
	}
}

func (e *examination) certificate(host string) {
	const check = "tls"
	pair, err := tls.LoadX509KeyPair(e.Config.HTTP.TLSCertFile, e.Config.HTTP.TLSKeyFile)
	if err != nil {
		e.fail(check, err.Error(), "correct TLS_CERT_FILE and TLS_KEY_FILE"+e.in())
		return
	}
	left := pair.Leaf.NotAfter.Sub(e.Clock.Now())
	name := filepath.Base(e.Config.HTTP.TLSCertFile)
	switch err := pair.Leaf.VerifyHostname(host); {
	case left <= 0:
		e.fail(check, name+" expired on "+pair.Leaf.NotAfter.Format(time.DateOnly), "renew it; banca loads it within a second")
	case err != nil:
		e.weak(check, fmt.Sprintf("%s is not for %s: %v", name, host, err), "correct PUBLIC_URL"+e.in()+", or get another certificate")
	case left < renewBefore:
		e.weak(check, name+" expires on "+pair.Leaf.NotAfter.Format(time.DateOnly), "renew it; banca loads it within a second")
	default:
		e.ok(check, "%s is for %s until %s", name, host, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}
