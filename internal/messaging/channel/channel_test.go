package channel_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/messaging/channel"
)

const secret = "s3cret-key"

func TestAChannelHidesItsSecrets(t *testing.T) {
	t.Parallel()
	c := channel.Channel{Driver: "evolution", Parameters: map[string]string{
		"base_url": "https://user:" + secret + "@gateway.example/" + secret, "instance": "banca", "api_key": secret, "of a later version": secret,
	}}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", slog.Any("channel", c), slog.String("text", c.String()))
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "channel", c)
	_, _ = fmt.Fprintf(&log, "%v %+v %#v %s", c, c, c, c)
	log.WriteString(c.Clean("401: the key " + secret + " is refused"))
	assert.NotContains(t, log.String(), secret)
	assert.Contains(t, log.String(), "gateway.example")
	assert.NotContains(t, c.Clean(strings.Repeat("x", channel.MaxErrorText-5)+secret), secret[:5], "it is replaced before the text is cut")
}

func TestParametersAreValidated(t *testing.T) {
	t.Parallel()
	parameters := []channel.Parameter{
		{Name: "base_url", Kind: channel.KindURL, Required: true, Max: 100},
		{Name: "instance", Kind: channel.KindName, Max: 20},
		{Name: "id", Kind: channel.KindDigits, Max: 20},
		{Name: "api_key", Kind: channel.KindText, Secret: true, Min: 4, Max: 20},
	}
	for name, values := range map[string]map[string]string{
		"base_url": {
			"": "required", "gateway": "", "ftp://x": "", "https://": "", "https://user:secretpass@x": "user or password", "https://x?key=secretpass": "query",
			"https://x/#secretpass": "fragment", "https://x/a/../b": "nowhere", "https://x/%2e%2e/b": "nowhere", "https://x\\@y": "", "https://x/\r\nA: b": "printable",
			"https://" + strings.Repeat("x", 100): "characters", "//x": "", "https:x": "", "https://x/a b": "",
		},
		"instance": {"..": "letter", ".": "letter", "a/b": "letter", "a%2fb": "letter", "../admin": "letter", "a\x00": "printable", "a?b": "letter", "a#b": "letter", " a": "letter", strings.Repeat("a", 21): "characters"},
		"id":       {"12a": "digits", "١٢": "digits", "-1": "digits"},
		"api_key":  {"secret\r\nX: y": "printable", "secret\n": "printable", "abc": "characters", "with blank": "ASCII", "señor": "ASCII", "\xff\xfe\xff\xfe": "printable"},
		"surprise": {"x": "no such parameter", "": "no such parameter"},
	} {
		for value, want := range values {
			given := map[string]string{"base_url": "https://gateway.example/v2", name: value}
			problems := channel.Validate(parameters, given)
			if assert.Len(t, problems, 1, "%s=%q", name, value) {
				assert.Equal(t, name, problems[0].Parameter)
				assert.Contains(t, problems[0].Reason, want, value)
				assert.NotContains(t, problems[0].Reason, "secret")
			}
		}
	}
	assert.Empty(t, channel.Validate(parameters, map[string]string{"base_url": "https://gateway.example:8443/v2/", "instance": "Agencia Región 1", "id": "1234", "api_key": "k3y-/+="}))
}

func TestErrorsOfADriver(t *testing.T) {
	t.Parallel()
	e := channel.AsError(errors.New("dial +584141234567 failed"))
	assert.Equal(t, channel.UnknownOutcome, e.Kind)
	assert.NotContains(t, e.Text, "584141234567")
	assert.Equal(t, "UNKNOWN_OUTCOME", e.Code())
	assert.False(t, e.Passes())
	for kind, passes := range map[channel.Kind]bool{
		channel.Retryable: true, channel.RateLimited: true, channel.ChannelDown: true, channel.BadRecipient: false,
		channel.BadContent: false, channel.NeedsTemplate: false, channel.Unauthorised: false,
	} {
		failure := &channel.Error{Kind: kind}
		assert.Same(t, failure, channel.AsError(fmt.Errorf("wrapped: %w", failure)))
		assert.Equal(t, passes, failure.Passes(), kind)
	}
}
