package banksim

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"banca/internal/platform/egress"
)

// Why a target is refused. The texts hold nothing of it: it may have a password.
var (
	errTargetForm   = errors.New("it is no http or https URL of a host, an optional port and an optional base path")
	errTargetExtra  = errors.New("it has a user, a query or a fragment")
	errTargetPath   = errors.New("its path is not a plain base path; the name of the webhook is added to it")
	errTargetNumber = errors.New("no such address may be called")
)

// target is a base URL that may be called.
type target struct {
	base string // normalised: lower case, no default port, no slash at the end
	// transport and not a client over it, which would want to follow redirects, or at least to understand them.
	transport *http.Transport
}

// parseTarget reads a base URL and normalises it.
func parseTarget(raw string) (*target, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, errTargetForm
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#") {
		return nil, errTargetExtra
	}
	base := strings.TrimSuffix(u.EscapedPath(), "/")
	if !plainPath(base) {
		return nil, errTargetPath
	}
	host, err := parseHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port, err := parsePort(u)
	if err != nil {
		return nil, err
	}
	return &target{base: u.Scheme + "://" + joinHost(host, port) + base}, nil
}

// plainPath reports whether path has plain segments only, and does not end in a webhook already.
func plainPath(path string) bool {
	if !regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`).MatchString(path) {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.HasSuffix(path, PhaseA.path()) && !strings.HasSuffix(path, PhaseB.path())
}

// parseHost normalises a name or an address.
func parseHost(host string) (name string, err error) {
	host = strings.ToLower(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		if ip.Zone() != "" || egress.Never(ip) {
			return "", errTargetNumber
		}
		return ip.String(), nil
	}
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`).MatchString(host) {
		return "", errTargetForm
	}
	return host, nil
}

// parsePort returns the port to write, which is "" for the scheme's own.
func parsePort(u *url.URL) (port string, err error) {
	standard := uint64(80)
	if u.Scheme == "https" {
		standard = 443
	}
	if u.Port() == "" {
		return "", nil
	}
	number, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || number == 0 {
		return "", errTargetForm
	}
	if number == standard {
		return "", nil
	}
	return strconv.FormatUint(number, 10), nil
}

// joinHost writes host and port as a URL does.
func joinHost(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
