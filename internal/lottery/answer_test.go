package lottery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func item(parts string) string {
	return `{"results":[{"external_id":"TRIOACTIVO-20260302-0800",` + parts + `}]}`
}

// Codes are kept as the answer writes them: a JSON number has no leading zeros and a string keeps them.
func TestValuesAreKeptAsWritten(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		value string
		err   error
	}{
		item(`"value":"00"`):            {"00", nil},
		item(`"value":"0"`):             {"0", nil},
		item(`"value":0`):               {"0", nil},
		item(`"value":"05"`):            {"05", nil},
		item(`"value":5`):               {"5", nil},
		item(`"value":1000`):            {"1000", nil},
		item(`"value":05`):              {"", ErrMalformed}, // no JSON
		item(`"value":00`):              {"", ErrMalformed},
		item(`"value":5.0`):             {"", ErrMalformed},
		item(`"value":5e0`):             {"", ErrMalformed},
		item(`"value":-5`):              {"", ErrMalformed},
		item(`"value":10000`):           {"", ErrMalformed},
		item(`"value":NaN`):             {"", ErrMalformed},
		item(`"value":1e999`):           {"", ErrMalformed},
		item(`"value":" 5"`):            {"", ErrMalformed},
		item(`"value":"٥"`):             {"", ErrMalformed},
		item(`"value":true`):            {"", ErrMalformed},
		item(`"value":["5"]`):           {"", ErrMalformed},
		item(`"value":{"a":5}`):         {"", ErrMalformed},
		item(`"other":"5"`):             {"", ErrMalformed},
		item(`"value":null`):            {"", ErrNotYet},
		item(`"value":""`):              {"", ErrNotYet},
		`{"results":[]}`:                {"", ErrNotYet},
		`{"results":null}`:              {"", ErrNotYet},
		`{"error":"none"}`:              {"", ErrMalformed},
		`{"results":"none"}`:            {"", ErrMalformed},
		`{"results":["5"]}`:             {"", ErrMalformed},
		`[]`:                            {"", ErrMalformed},
		item(`"value":"5","value":"6"`): {"", ErrMalformed},
		`{"results":[],"results":[{"external_id":"x"}]}`:                                                                              {"", ErrMalformed},
		item(`"value":"5"`) + `{}`:                                                                                                    {"", ErrMalformed},
		item(`"value":"5","x":` + strings.Repeat("[", 40)):                                                                            {"", ErrMalformed},
		item(`"value":"5"},{"external_id":"A","value":"6"`):                                                                           {"5", nil},
		`{"results":{"external_id":"TRIOACTIVO-20260302-0800","value":"6"}}`:                                                          {"6", nil},
		item(`"value":"5"},{"external_id":"TRIOACTIVO-20260302-0800","value":"6"`):                                                    {"", ErrMalformed},
		item(`"value":"5"},{"external_id":"TRIOACTIVO-20260302-0800","value":"5"`):                                                    {"", ErrMalformed},
		`{"results":[{"external_id":"TRIOACTIVO-20260301-0800","value":"1"},{"external_id":"TRIOACTIVO-20260302-0900","value":"2"}]}`: {"", ErrNotYet},
	} {
		f := answering(t, body).Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
		if want.err != nil {
			require.ErrorIs(t, f.Err, want.err, body)
			assert.Empty(t, f.Value, body)
			assert.Contains(t, []int{200}, f.Evidence.Status, "the evidence is kept")
			continue
		}
		require.NoError(t, f.Err, body)
		assert.Equal(t, want.value, f.Value, body)
	}
}

func TestMapsTranslateAndRefuseOtherValues(t *testing.T) {
	t.Parallel()
	raw := with(t, func(s map[string]any) {
		s["elements"] = map[string]string{"01": "1", "0": "0", "DOBLE": "00", "7": "7"}
		s["signs"] = map[string]string{"Aries": "ARI"}
	})
	for body, want := range map[string][]string{
		item(`"value":"01","sign":"Aries"`):                             {"1", "ARI", ""},
		item(`"value":"DOBLE"`):                                         {"00", "", ""},
		item(`"value":7,"flags":"MEGA"`):                                {"7", "", "MEGA"},
		item(`"value":7,"flags":["B","A","B"]`):                         {"7", "", "A,B"},
		item(`"value":"7","sign":null,"flags":[]`):                      {"7", "", ""},
		item(`"value":"1"`):                                             nil,
		item(`"value":"00"`):                                            nil,
		item(`"value":"7","sign":"aries"`):                              nil,
		item(`"value":"7","sign":"ARI"`):                                nil,
		item(`"value":"7","flags":["a b"]`):                             nil,
		item(`"value":"7","flags":{"MEGA":true}`):                       nil,
		item(`"value":"7","wildcard":["A","B"]`):                        nil,
		item(`"value":"7","flags":[1,2,3,4,5,6,7,8,9]`):                 nil,
		item(`"value":"7","flags":["` + strings.Repeat("x", 33) + `"]`): nil,
	} {
		f := answering(t, body).Fetch(t.Context(), decoded(t, raw), draw())[0]
		if want == nil {
			require.ErrorIs(t, f.Err, ErrMalformed, body)
			assert.Empty(t, f.Value+f.Sign+f.Wildcard, "nothing half")
			continue
		}
		require.NoError(t, f.Err, body)
		assert.Equal(t, want, []string{f.Value, f.Sign, strings.Join(f.Flags, ",")}, body)
	}
}

func TestAFailedSourceDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	const two = `{"sources":[
		{"name":"a","result":{"url":"{base}/r?n={number}","value":"v"}},
		{"name":"b","result":{"url":"{base}/r/{date:DD.MM.YY}/{time:hh:MM AM}","value":"data.0.v"}}],"verify":{"policy":"agree","sources":2}}`
	good := answering(t, `{"v":"12","data":[{"v":12}]}`)
	bad := answering(t, `nonsense`)
	c := client(t, Options{Sources: map[string]string{"a": bad.bases["official"], "b": good.bases["official"]}})
	fetched := c.Fetch(t.Context(), decoded(t, []byte(two)), draw())
	require.Len(t, fetched, 2)
	require.ErrorIs(t, fetched[0].Err, ErrMalformed)
	require.NoError(t, fetched[1].Err)
	assert.Equal(t, "12", fetched[1].Value)
	assert.True(t, strings.HasSuffix(fetched[1].Evidence.URL, "/api/r/02.03.26/08:00%20AM"), fetched[1].Evidence.URL)
}
