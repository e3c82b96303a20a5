package lottery

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"banca/internal/platform/egress"
)

// userAgent is the User-Agent of all requests.
const userAgent = "banca-lottery"

// Why no request could be made.
var (
	errNoBase   = errors.New("LOTTERY_SOURCES has no base of the source")
	errNoSecret = errors.New("LOTTERY_SECRETS has no secret of the source")
	errNoURL    = errors.New("the URL that the templates make cannot be called")
	errTooLong  = errors.New("the URL that the templates make is too long")
	errHost     = errors.New("LOTTERY_ALLOWED_HOSTS does not name the host")
)

// values returns the values of the variables.
func (c *Client) values(cfg *Config, s *Source, ref DrawRef) (*values, error) {
	zone := ref.Zone
	if zone == nil {
		zone = time.UTC
	}
	v := &values{base: c.bases[s.Name], game: cfg.ExternalGame, secret: c.options.Secrets[s.Name], number: ref.DrawNumber, at: ref.Time.In(zone)}
	if v.game == "" {
		v.game = ref.GameCode
	}
	id, err := parseTemplate(s.ExternalID, false)
	if err != nil {
		return nil, ErrConfig.WithCause(err)
	}
	v.externalID = id.render(v, nil)
	return v, nil
}

// newRequest renders a request and the URL as it may be shown, without the secret.
func (c *Client) newRequest(ctx context.Context, s *Source, r *Request, v *values) (*http.Request, string, error) {
	address, err := parseTemplate(r.URL, false)
	if err != nil {
		return nil, "", ErrConfig.WithCause(err)
	}
	hidden := *v
	hidden.secret = shownSecret
	shown := address.renderURL(&hidden)
	if err := c.callable(s, r, v, address); err != nil {
		return nil, shown, ErrConfig.WithCause(err)
	}
	body, err := renderBody(s, r, v)
	if err != nil {
		return nil, shown, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address.renderURL(v), strings.NewReader(body))
	if err != nil {
		return nil, shown, ErrConfig.WithCause(errNoURL) // the error's own text has the URL
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, text := range s.Headers {
		t, err := parseTemplate(text, false)
		if err != nil {
			return nil, shown, ErrConfig.WithCause(err)
		}
		if len(t.secrets()) > 0 && v.secret == "" {
			return nil, shown, ErrConfig.WithCause(errNoSecret)
		}
		req.Header.Set(name, t.render(v, nil))
	}
	return req, shown, nil
}

// callable returns why the URL of a rendered template must not be called. Validation of the configuration refuses
// such templates where it can; a value may still lead elsewhere.
func (c *Client) callable(s *Source, r *Request, v *values, address template) error {
	rendered := address.renderURL(v)
	u, err := url.Parse(rendered)
	switch {
	case address.uses(varBase) && v.base == "":
		return errNoBase
	case len(address.secrets()) > 0 && v.secret == "":
		return errNoSecret
	case len(rendered) > 2*maxURL:
		return errTooLong
	case err != nil || u.Host == "" || dotted(u.Path) || !egress.Secure(u):
		return errNoURL
	case !strings.HasPrefix(r.URL, "{base}") && !c.hosts[strings.ToLower(u.Host)]:
		return errHost
	case !strings.HasPrefix(r.URL, "{base}") && usesSecret(s):
		return errNoURL
	}
	return nil
}

// usesSecret reports whether a header of the source holds its secret.
func usesSecret(s *Source) bool {
	for _, text := range s.Headers {
		if strings.Contains(text, "{"+varSecret) {
			return true
		}
	}
	return false
}

// renderBody writes the body with its variables escaped for its type: a form, or else JSON.
func renderBody(s *Source, r *Request, v *values) (string, error) {
	t, err := parseTemplate(r.Body, true)
	if err != nil {
		return "", ErrConfig.WithCause(err)
	}
	if len(t.secrets()) > 0 && v.secret == "" {
		return "", ErrConfig.WithCause(errNoSecret)
	}
	for name, value := range s.Headers {
		if http.CanonicalHeaderKey(name) == "Content-Type" && strings.HasPrefix(value, "application/x-www-form-urlencoded") {
			return t.render(v, url.QueryEscape), nil
		}
	}
	return t.render(v, escapeJSON), nil
}
