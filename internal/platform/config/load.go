package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load reads the environment, and the file that CONFIG_FILE names below it. An error names each variable with a bad
// value, never the value, which may be a secret that was put into the wrong variable.
func Load() (Config, error) {
	environment := env.ToMap(environ())
	if file := environment["CONFIG_FILE"]; file != "" {
		return LoadFile(file)
	}
	return parse(environment)
}

// parse is Load over a given environment.
func parse(environment map[string]string) (Config, error) {
	var c Config
	err := env.ParseWithOptions(&c, env.Options{
		Environment: environment,
		FuncMap: map[reflect.Type]env.ParserFunc{
			reflect.TypeFor[[]netip.Prefix]():  parsePrefixes,
			reflect.TypeFor[AssistantModels](): parseModels,
		},
	})
	if err != nil {
		return Config{}, describe(err)
	}
	c.HTTP.PublicURL = strings.TrimRight(c.HTTP.PublicURL, "/")
	c.Objects.Endpoint = strings.TrimRight(c.Objects.Endpoint, "/")
	c.Objects.SignedEndpoint = strings.TrimRight(c.Objects.SignedEndpoint, "/")
	c.Business.zoneGiven = environment["BUSINESS_TIMEZONE"] != ""
	if environment["RATE_LIMIT_DEVICE_REQUESTS"] == "" {
		c.HTTP.RateLimitDevice = c.HTTP.RateLimitRequests
	}
	if environment["RATE_LIMIT_SITE_REQUESTS"] == "" {
		c.HTTP.RateLimitSite = siteLimits * c.HTTP.RateLimitRequests
	}
	if c.Objects.PrivateBucket == "" {
		c.Objects.PrivateBucket = c.Objects.Bucket + PrivateSuffix
	}
	if c.HTTP.PublicURL == "" {
		c.HTTP.PublicURL, c.HTTP.derivedURL = c.HTTP.url(), true
	}
	if err := c.check(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// describe turns the library's errors, which name Go fields and quote values, into names of variables.
func describe(err error) error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return errors.New("config: the environment cannot be read")
	}
	var bad []error
	for _, e := range all.Errors {
		var parse env.ParseError
		if !errors.As(e, &parse) {
			bad = append(bad, errors.New("config: a variable cannot be read"))
			continue
		}
		for _, v := range variables(reflect.TypeFor[Config](), "") {
			if v.field == parse.Name {
				bad = append(bad, fmt.Errorf("config: %s is not a valid %s", v.name, v.kind))
			}
		}
	}
	return errors.Join(bad...)
}

// parsePrefixes reads addresses and ranges separated by commas.
func parsePrefixes(text string) (any, error) {
	var list []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		prefix, err := parsePrefix(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, prefix)
	}
	return list, nil
}

// parseModels reads the JSON array of models.
func parseModels(text string) (any, error) {
	var list AssistantModels
	if strings.TrimSpace(text) == "" {
		return list, nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil || decoder.More() {
		return nil, errors.New("not an array of models")
	}
	return list, nil
}

// parsePrefix reads "10.0.0.0/8" or a single address. IPv4-mapped IPv6 is unmapped, as peers are.
func parsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, errors.New("neither an address nor a range of addresses")
	}
	return prefix.Masked(), nil
}

// url is the address a browser on this machine reaches the server by: by TLS where it is spoken.
func (h *HTTP) url() string {
	switch {
	case h.TLSAddr != "":
		return urlOf("https", h.TLSAddr)
	case h.TLSCertFile != "":
		return urlOf("https", h.Addr)
	default:
		return urlOf("http", h.Addr)
	}
}

func urlOf(scheme, addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + "://" + addr // check refuses the address itself
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Reached returns the address by which this machine reaches a listener of its own: one on all addresses by the loopback
// address. Errors: an address that is not host:port.
func Reached(listener string) (string, error) {
	host, port, err := net.SplitHostPort(listener)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
