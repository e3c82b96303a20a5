package lottery

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
)

func TestErrorsNameThePathOfTheField(t *testing.T) {
	t.Parallel()
	result := asking
	source := func(key string, value any) func(map[string]any) { return func(s map[string]any) { s[key] = value } }
	for i, c := range []struct {
		change func(map[string]any)
		at     string
	}{
		{source("name", "Official"), ".name"},
		{source("name", ""), ".name"},
		{source("external_id", "{base}"), ".external_id"},
		{source("external_id", "{unknown}"), ".external_id"},
		{source("external_id", "{date:QQ}"), ".external_id"},
		{source("headers", map[string]string{"Host": "x"}), ".headers.Host"},
		{source("headers", map[string]string{"X-A": "a\nb"}), ".headers.X-A"},
		{source("headers", map[string]string{"X A": "a"}), ".headers"},
		{source("headers", map[string]string{"X-A": "{secret:mirror}"}), ".headers.X-A"},
		{source("elements", map[string]string{"x": "12345"}), ".elements"},
		{source("elements", map[string]string{"": "1"}), ".elements"},
		{source("signs", map[string]string{"Aries": "XXX"}), ".signs"},
		{result("method", "DELETE"), ".result.method"},
		{result("url", ""), ".result.url"},
		{result("url", "{base}.evil.example/"), ".result.url"},
		{result("url", "{base}@evil.example/"), ".result.url"},
		{result("url", "{base}/../{external_id}"), ".result.url"},
		{result("url", "{base}/{base}"), ".result.url"},
		{result("url", "{base}/a#b"), ".result.url"},
		{result("url", "{base}/a b"), ".result.url"},
		{result("url", "{base}/{date"), ".result.url"},
		{result("url", "http://lottery.example/{external_id}"), ".result.url"},
		{result("url", "https://{game}.example/"), ".result.url"},
		{result("url", "https://user@lottery.example/"), ".result.url"},
		{result("url", "file:///etc/passwd"), ".result.url"},
		{result("url", "https://lottery.example/?k={secret:official}"), ".result.url"},
		{result("url", strings.Repeat("x", 1001)), ".result.url"},
		{result("body", "x"), ".result.body"},
		{result("items", "a.#(b==1)"), ".result.items"},
		{result("items", "@this"), ".result.items"},
		{result("value", `!"5"`), ".result.value"},
		{result("value", "v*"), ".result.value"},
		{result("value", ""), ".result.value"},
		{result("match", map[string]string{"a": "{secret:official}"}), ".result.match"},
		{result("match", map[string]string{"a": "{date}"}), ".result.match"},
		{source("close", map[string]any{"url": "{base}/{secret:other}"}), ".close.url"},
		{source("close", map[string]any{"url": "{base}/x", "body": strings.Repeat("x", 5_000)}), ".close.body"},
	} {
		details := Check(with(t, c.change))
		at := func(d apperr.Detail) bool { return d.Location == "api_config.sources[0]"+c.at }
		assert.True(t, slices.ContainsFunc(details, at), "%d %s: %v", i, c.at, details)
		for _, d := range details {
			assert.NotContains(t, d.Message, "evil", "what was submitted is not repeated")
		}
	}
}

func TestPoliciesNeedTheirSources(t *testing.T) {
	t.Parallel()
	for raw, at := range map[string]string{
		`{"verify":{"policy":"trusted"}}`:           "api_config.verify.policy",
		`{"verify":{"policy":"agree","sources":2}}`: "api_config.verify.sources",
		`{"verify":{"policy":"maybe"}}`:             "api_config.verify.policy",
		`{"external_game":"../x"}`:                  "api_config.external_game",
		`{"unknown":1}`:                             "api_config",
		`[]`:                                        "api_config",
		`{"sources":{}}`:                            "api_config",
		`{} {}`:                                     "api_config",
		`{"x":"` + strings.Repeat("x", maxConfig) + `"}`:                 "api_config",
		`{"sources":[{"name":"a"}]}`:                                     "api_config.sources[0]",
		`{"sources":[{"name":"a"},{"name":"a"}]}`:                        "api_config.sources[1].name",
		strings.Replace(adapter, `"trusted":true`, `"trusted":false`, 1): "api_config.verify.policy",
	} {
		details := Check([]byte(raw))
		at := func(d apperr.Detail) bool { return d.Location == at }
		assert.True(t, slices.ContainsFunc(details, at), "%s: %v", raw[:min(60, len(raw))], details)
		_, err := Decode([]byte(raw))
		require.ErrorIs(t, err, ErrConfig)
	}
	for _, raw := range []string{"", "{}", "null", adapter} {
		assert.Empty(t, Check([]byte(raw)), raw)
	}
	cfg := decoded(t, nil)
	assert.Equal(t, PolicyManual, cfg.Verify.Policy)
	assert.False(t, cfg.ClosesDraws() || cfg.FetchesResults())
}
