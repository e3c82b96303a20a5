package channel

import (
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Names of parameters that several drivers share. The values of public parameters may be logged and shown.
const (
	ParamBaseURL       = "base_url"       // public: of the provider, with http or https
	ParamInstance      = "instance"       // public: the provider's name of the linked account
	ParamAPIKey        = "api_key"        // secret
	ParamWebhookSecret = "webhook_secret" // secret: proves that a webhook is the provider's; random
)

// MinWebhookSecret is the least length of a webhook's secret, in characters.
const MinWebhookSecret = 16

// Channel is a configured account of a provider.
type Channel struct {
	ID         uuid.UUID // of the connection; zero for the configured channel
	Driver     string    // Driver.Name
	Parameters map[string]string
}

// Get returns a parameter, "" when it is missing.
func (c Channel) Get(name string) string { return c.Parameters[name] }

// LogValue implements slog.LogValuer: only the id, the driver, the host and the name of the account.
func (c Channel) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", c.ID.String()), slog.String("driver", c.Driver),
		slog.String("host", c.host()), slog.String("instance", c.Get(ParamInstance)))
}

// String implements fmt.Stringer, for the same reason.
func (c Channel) String() string { return c.Driver + " " + c.host() + " " + c.Get(ParamInstance) }

// GoString implements fmt.GoStringer: %#v would print the secrets.
func (c Channel) GoString() string { return c.String() }

// host returns the host of the base URL. The rest of an unvalidated URL may hold secrets.
func (c Channel) host() string {
	u, err := url.Parse(c.Get(ParamBaseURL))
	if err != nil {
		return ""
	}
	return u.Host
}

// minScrubbed is the length from which a value is unlikely to be part of an ordinary text.
const minScrubbed = 4

// Clean makes a provider's text fit to keep: the channel's secrets are replaced, telephone numbers are masked, and it
// is short, valid text.
func (c Channel) Clean(text string) string {
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		if value := c.Parameters[name]; len(value) >= minScrubbed && !slices.Contains(publicParameters(), name) {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return Clean(text)
}

// publicParameters are the parameters whose values are no secret. A name that is not listed counts as one.
func publicParameters() []string {
	return []string{ParamBaseURL, ParamInstance, "url", "session", "phone_number_id", "api_version"}
}
