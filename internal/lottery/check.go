package lottery

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/egress"
)

// Bounds of an api_config.
const (
	maxConfig   = 64 << 10 // bytes
	maxSources  = 5
	maxHeaders  = 10
	maxHeader   = 500
	maxURL      = 1_000
	maxBody     = 4 << 10
	maxMatch    = 5
	maxPath     = 100
	maxMapped   = 2_000 // codes of a map; a triple has a thousand
	maxForeign  = 40    // length of a code of the outside
	maxTemplate = 200   // length of the templates that make a name
)

// Check names everything that is wrong with an api_config, by paths as api_config.sources[0].result.url.
func Check(raw json.RawMessage) []apperr.Detail { return checkRaw(raw, nil) }

// Check is the package's Check, and refuses hosts that this process may not call.
func (c *Client) Check(raw json.RawMessage) []apperr.Detail { return checkRaw(raw, c.hosts) }

func checkRaw(raw []byte, hosts map[string]bool) []apperr.Detail {
	c, err := read(raw)
	if err != nil {
		return apperr.From(err).Details
	}
	return c.check(hosts)
}

func detail(location string, message apperr.Message) apperr.Detail {
	return apperr.Detail{Location: "api_config" + location, Message: message}
}

// checker collects the errors of a configuration.
type checker struct {
	hosts   map[string]bool // allowed in addition to the bases; nil if unknown
	details []apperr.Detail
}

func (k *checker) refuse(bad bool, location string, message apperr.Message) {
	if bad {
		k.details = append(k.details, detail(location, message))
	}
}

// check validates the configuration. hosts are the allowed hosts of absolute URLs, nil if unknown.
func (c *Config) check(hosts map[string]bool) []apperr.Detail {
	k := &checker{hosts: hosts}
	k.refuse(
		c.ExternalGame != "" && !isName(c.ExternalGame), ".external_game",
		"must be letters, digits, dots, dashes and underscores, at most 64",
	)
	k.refuse(len(c.Sources) > maxSources, ".sources", apperr.Messagef("must be at most %d", maxSources))
	names, trusted, results := map[string]bool{}, 0, 0
	for i := range c.Sources {
		s := &c.Sources[i]
		at := fmt.Sprintf(".sources[%d]", i)
		k.refuse(names[s.Name], at+".name", "is the name of an earlier source")
		names[s.Name] = true
		k.source(at, s)
		if s.Result != nil {
			results++
			if s.Trusted {
				trusted++
			}
		}
	}
	switch c.Verify.Policy {
	case PolicyTrusted:
		k.refuse(trusted == 0, ".verify.policy", "needs a trusted source with a result")
	case PolicyAgree:
		k.refuse(
			c.Verify.Sources < 2 || c.Verify.Sources > results, ".verify.sources",
			"must be between 2 and the number of sources with a result",
		)
	case PolicyManual:
	default:
		k.refuse(true, ".verify.policy", "must be trusted, agree or manual")
	}
	return k.details
}

func isName(text string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`).MatchString(text)
}

// IsSourceName reports whether a text can be the name of a source.
func IsSourceName(text string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`).MatchString(text)
}

func (k *checker) source(at string, s *Source) {
	k.refuse(!IsSourceName(s.Name), at+".name", "must be small letters, digits, dashes and underscores, at most 32")
	id := k.template(at+".external_id", s.ExternalID, maxTemplate, false)
	k.refuse(id.uses(varBase, varExternalID, varSecret), at+".external_id", "must not use base, external_id or secret")
	k.refuse(s.Close == nil && s.Result == nil, at, "has neither close nor result")
	k.headers(at+".headers", s)
	if s.Close != nil {
		k.request(at+".close", s, s.Close, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodGet)
	}
	if s.Result != nil {
		k.result(at+".result", s, s.Result)
	}
	k.mapped(at+".elements", s.Elements, isCode, apperr.Messagef(
		"must name codes of one to four digits; codes of the source must have 1 to %d characters", maxForeign))
	signs := catalog.Signs()
	k.mapped(at+".signs", s.Signs, func(code string) bool { return slices.Contains(signs, code) }, apperr.Messagef(
		"must name signs: %s; codes of the source must have 1 to %d characters", strings.Join(signs, ", "), maxForeign))
}

func (k *checker) mapped(at string, codes map[string]string, known func(string) bool, message apperr.Message) {
	k.refuse(len(codes) > maxMapped, at, "has too many codes")
	for _, foreign := range slices.Sorted(maps.Keys(codes)) {
		if foreign == "" || len(foreign) > maxForeign || !known(codes[foreign]) {
			k.refuse(true, at, message)
			return
		}
	}
}

// template parses a text with variables; it returns nil for an invalid one.
func (k *checker) template(at, text string, longest int, loose bool) template {
	k.refuse(len(text) > longest, at, "is too long")
	t, err := parseTemplate(text, loose)
	if wrong, ok := errors.AsType[fault](err); ok {
		k.refuse(true, at, apperr.Message(wrong))
		return nil
	}
	return t
}

// ownSecret checks that a template names no secret but the source's, and that only where it goes to the base.
func (k *checker) ownSecret(at string, s *Source, t template, toBase bool) {
	for _, name := range t.secrets() {
		k.refuse(name != s.Name, at, "must use only the source's own secret")
		k.refuse(!toBase, at, "may use a secret only when the URL begins with {base}")
	}
}

func (k *checker) headers(at string, s *Source) {
	k.refuse(len(s.Headers) > maxHeaders, at, apperr.Messagef("must be at most %d", maxHeaders))
	toBase := (s.Close == nil || strings.HasPrefix(s.Close.URL, "{base}")) && (s.Result == nil || strings.HasPrefix(s.Result.URL, "{base}"))
	reserved := []string{
		"Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Upgrade", "Te", "Trailer",
		"Expect",
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if !regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`).MatchString(name) {
			k.refuse(true, at, "has a name that is not a valid header name")
			continue
		}
		k.refuse(slices.Contains(reserved, http.CanonicalHeaderKey(name)), at+"."+name, "cannot be set")
		t := k.template(at+"."+name, s.Headers[name], maxHeader, false)
		k.refuse(!isPrintable(s.Headers[name], true), at+"."+name, "must be printable ASCII")
		k.refuse(t.uses(varBase), at+"."+name, "must not use base")
		k.ownSecret(at+"."+name, s, t, toBase)
	}
}

func isPrintable(text string, spaces bool) bool {
	for _, r := range text {
		if r < ' ' || r > '~' || r == ' ' && !spaces {
			return false
		}
	}
	return true
}

func (k *checker) request(at string, s *Source, r *Request, methods ...string) {
	k.refuse(
		!slices.Contains(methods, r.Method), at+".method", apperr.Messagef("must be %s", strings.Join(methods, ", ")),
	)
	k.refuse(r.URL == "", at+".url", "is missing")
	t := k.template(at+".url", r.URL, maxURL, false)
	toBase := strings.HasPrefix(r.URL, "{base}")
	if t != nil {
		k.url(at+".url", r.URL, t)
		k.ownSecret(at+".url", s, t, toBase)
	}
	body := k.template(at+".body", r.Body, maxBody, true)
	k.refuse(body.uses(varBase), at+".body", "must not use base")
	k.refuse(r.Body != "" && r.Method == http.MethodGet, at+".body", "cannot be sent with GET")
	k.ownSecret(at+".body", s, body, toBase)
}

// url checks where a URL leads: to the source's base, or to a whole host that no variable is part of.
func (k *checker) url(at, text string, t template) {
	plain := !slices.ContainsFunc(t, func(p part) bool { return !isPrintable(p.text, false) || strings.Contains(p.text, "#") })
	k.refuse(!plain, at, "must be printable ASCII without spaces and fragment")
	k.refuse(t[1:].uses(varBase), at, "may use base at its beginning only")
	path, _, _ := strings.Cut(text, "?")
	for segment := range strings.SplitSeq(path, "/") {
		k.refuse(segment == "." || segment == "..", at, "must not have segments of dots")
	}
	if rest, ok := strings.CutPrefix(text, "{base}"); ok {
		k.refuse(
			rest != "" && rest[0] != '/' && rest[0] != '?', at,
			"must continue with a slash or a question mark after base",
		)
		return
	}
	origin := regexp.MustCompile(`^(https?://[^/?{}]+)[/?]`).FindStringSubmatch(text)
	if origin == nil {
		k.refuse(true, at, "must begin with {base} or with scheme and host")
		return
	}
	u, err := url.Parse(origin[1])
	if err != nil || u.Host == "" || u.User != nil || !egress.Secure(u) {
		k.refuse(true, at, "must be https, without a user")
		return
	}
	k.refuse(k.hosts != nil && !k.hosts[strings.ToLower(u.Host)], at, "has a host that is not in LOTTERY_ALLOWED_HOSTS")
}

func (k *checker) result(at string, s *Source, r *Result) {
	k.request(at, s, &r.Request, http.MethodGet, http.MethodPost)
	k.path(at+".items", r.Items, false)
	k.path(at+".value", r.Value, true)
	k.path(at+".sign", r.Sign, false)
	k.path(at+".flags", r.Flags, false)
	k.path(at+".wildcard", r.Wildcard, false)
	k.refuse(len(r.Match) > maxMatch, at+".match", apperr.Messagef("must be at most %d", maxMatch))
	named := strings.Contains(r.URL+r.Body, "{external_id}") || strings.Contains(r.URL+r.Body, "{number}") || strings.Contains(r.URL+r.Body, "{time")
	for _, path := range slices.Sorted(maps.Keys(r.Match)) {
		k.path(at+".match", path, true)
		t := k.template(at+".match", r.Match[path], maxTemplate, false)
		k.refuse(t.uses(varBase, varSecret), at+".match", "must not use base or secret")
		named = named || t.uses(varExternalID, varNumber, varTime)
	}
	k.refuse(!named, at+".match", "must identify the draw within its day: external_id, number or time")
}

// path validates a path into an answer: names and indexes only, none of the library's modifiers and queries.
func (k *checker) path(at, path string, required bool) {
	if path == "" {
		k.refuse(required, at, "is missing")
		return
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`).MatchString(path)
	k.refuse(!plain || len(path) > maxPath, at, "must be names or indexes joined by dots")
}
