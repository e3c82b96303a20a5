package lottery

import (
	"bytes"
	"encoding/json"
	"time"
)

// Policies of verification.
const (
	PolicyTrusted = "trusted" // one trusted source suffices
	PolicyAgree   = "agree"   // Verify.Sources sources must agree
	PolicyManual  = "manual"  // a person verifies
)

// Config is the decoded api_config of a game.
type Config struct {
	// ExternalGame is the game's name in the templates; the game's own code when it is empty.
	ExternalGame string   `json:"external_game,omitempty"`
	Sources      []Source `json:"sources,omitempty"`
	Verify       Verify   `json:"verify"`
}

// Source is one external system with the game's results.
type Source struct {
	Name    string            `json:"name"` // of its base and its secret in the configuration
	Trusted bool              `json:"trusted,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// ExternalID is the draw's name there, a template.
	ExternalID string   `json:"external_id,omitempty"`
	Close      *Request `json:"close,omitempty"`
	Result     *Result  `json:"result,omitempty"`
	// Elements and Signs translate the source's codes. With an empty one codes are taken as they are; with any
	// other, a code that is not in it is unknown.
	Elements map[string]string `json:"elements,omitempty"`
	Signs    map[string]string `json:"signs,omitempty"`
}

// Request is a call to make: a URL and a body are templates.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body,omitempty"`
}

// Result is the call for a result and its paths in the answer. Paths are names and indexes joined by dots; paths
// of the parts begin at the draw's item.
type Result struct {
	Request

	Items    string            `json:"items,omitempty"` // the list of items, or one item; the whole document when it is empty
	Match    map[string]string `json:"match,omitempty"` // path to template: all must be equal in the draw's item
	Value    string            `json:"value"`
	Sign     string            `json:"sign,omitempty"`
	Flags    string            `json:"flags,omitempty"`
	Wildcard string            `json:"wildcard,omitempty"`
}

// Verify is the policy by which a fetched result is verified.
type Verify struct {
	Policy  string `json:"policy"`
	Sources int    `json:"sources,omitempty"` // of PolicyAgree
}

// DrawRef names a draw to the outside.
type DrawRef struct {
	GameCode   string
	DrawNumber string
	Time       time.Time
	Zone       *time.Location // of the game's schedule; UTC when nil
}

// defaultExternalID is a draw's name where a source gives no template.
const defaultExternalID = "{game}-{date:YYYYMMDD}-{time:HHMM}"

// Decode reads an api_config. An empty one has no sources and is verified by people.
// Errors: ErrConfig, whose details name the paths.
func Decode(raw []byte) (*Config, error) {
	c, err := read(raw)
	if err != nil {
		return nil, err
	}
	if details := c.check(nil); len(details) > 0 {
		return nil, ErrConfig.WithDetails(details...)
	}
	return c, nil
}

func read(raw []byte) (*Config, error) {
	c := &Config{}
	if len(raw) > maxConfig {
		return nil, ErrConfig.WithDetails(detail("", "is too long"))
	}
	if len(bytes.TrimSpace(raw)) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(c); err != nil || decoder.More() {
			return nil, ErrConfig.WithDetails(detail("", "is not a JSON object of the expected form"))
		}
	}
	c.fill()
	return c, nil
}

// fill sets defaults.
func (c *Config) fill() {
	for i := range c.Sources {
		s := &c.Sources[i]
		if s.ExternalID == "" {
			s.ExternalID = defaultExternalID
		}
		if s.Close != nil && s.Close.Method == "" {
			s.Close.Method = "POST"
		}
		if s.Result != nil && s.Result.Method == "" {
			s.Result.Method = "GET"
		}
		if s.Trusted && c.Verify.Policy == "" {
			c.Verify.Policy = PolicyTrusted
		}
	}
	if c.Verify.Policy == "" {
		c.Verify.Policy = PolicyManual
	}
}
