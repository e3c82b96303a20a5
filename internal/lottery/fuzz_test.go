package lottery

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// FuzzAnswer reads any document: it never panics, returns either an error or a code, and the code is the one that a
// strict reader of the standard library finds.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		item(`"value":"007"`), item(`"value":0`), item(`"value":"5","value":"6"`), `{"results":null}`, `[]`, `{"results":[[]]}`, "\xff", `{"a":1e9999}`,
		item(`"value":"007","sign":"ARI","flags":["A"],"wildcard":"B"`), strings.Repeat("[", 100),
	} {
		f.Add([]byte(body))
	}
	cfg := decoded(f, []byte(adapter))
	s := &cfg.Sources[0]
	v := &values{game: "TRIOACTIVO", externalID: "TRIOACTIVO-20260302-0800", at: time.Unix(0, 0).UTC()}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := Fetched{}
		err := got.read(s, v, body)
		if err != nil {
			require.Empty(t, got.Value+got.Sign+got.Wildcard)
			return
		}
		require.True(t, isCode(got.Value))
		var document struct{ Results json.RawMessage }
		require.NoError(t, json.Unmarshal(body, &document))
		require.True(t, gjson.ValidBytes(body))
		require.Contains(t, string(document.Results), got.Value)
	})
}

// FuzzTemplate renders any template with any values into a URL behind the base: it stays behind it.
func FuzzTemplate(f *testing.F) {
	f.Add("{base}/r/{game}?d={date:DD}&n={number}", "x/../y", "a&b=c#d")
	f.Add("{base}", "?", "\n")
	f.Add("{base}?{time:HH}", "%2e%2e", "é")
	f.Fuzz(func(t *testing.T, text, game, number string) {
		if len(text) > maxURL {
			return
		}
		k := &checker{}
		parsed, err := parseTemplate(text, false)
		if err != nil || len(parsed) == 0 {
			return
		}
		k.url("", text, parsed)
		if len(k.details) > 0 || !strings.HasPrefix(text, "{base}") {
			return
		}
		const base = "https://lottery.example:8443/api"
		rendered := parsed.renderURL(&values{base: base, game: game, number: number, externalID: game + number, at: time.Unix(0, 0).UTC()})
		u, err := url.Parse(rendered)
		if err != nil {
			return // is refused when it is to be called
		}
		require.Equal(t, "https", u.Scheme)
		require.Equal(t, "lottery.example:8443", u.Host)
		require.Nil(t, u.User)
		require.Empty(t, u.Fragment)
		require.True(t, strings.HasPrefix(u.Path, "/api"))
	})
}

// FuzzDecode decodes any configuration; an accepted one can be rendered.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(adapter))
	f.Add([]byte(`{"sources":[{"name":"a","result":{"url":"https://x.example/{time}","value":"v"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		cfg, err := Decode(raw)
		if err != nil {
			return
		}
		c := &Client{bases: map[string]string{}, masks: masksOf(nil)}
		for i := range cfg.Sources {
			s := &cfg.Sources[i]
			v, err := c.values(cfg, s, draw())
			require.NoError(t, err)
			for _, r := range []*Request{s.Close} {
				if r == nil {
					continue
				}
				_, shown, err := c.newRequest(t.Context(), s, r, v)
				require.NotEmpty(t, shown+r.URL)
				if err != nil {
					require.ErrorIs(t, err, ErrConfig)
				}
			}
		}
	})
}
