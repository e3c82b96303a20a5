package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"k%d":{},`, i)
	}
	for text, want := range map[string]bool{
		`{}`: false, `[]`: false, `1`: false, `"a"`: false, `null`: false,
		`{"a":1,"b":2}`: false, `{"a":1,"a":2}`: true, `{"a":1,"A":2}`: true, `{"a":1,"\u0061":2}`: true,
		`{"a":{"a":1},"b":{"a":1}}`: false, `[{"a":1},{"a":1}]`: false, `{"x":[{"a":1,"a":1}]}`: true,
		`{"a":"a","b":"a"}`: false, `{"a":["a","a"]}`: false, `{"a":[],"b":"\",\"a\":"}`: false, `{"a":[1],"a":2}`: true,
		`{"a\\":1,"a":2}`:                   false,
		`{` + many.String() + `"z":1}`:      false,
		`{` + many.String() + `"K7":1}`:     true,
		"\t{ \"a\" : 1 ,\n\"a\" : 2 } \r\n": true,
	} {
		assert.Equal(t, want, hasDuplicateKeys([]byte(text)), text)
	}
}

func FuzzDuplicateKeys(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":"\\\""},1],"c":{}}`))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		if json.Valid(raw) {
			hasDuplicateKeys(raw) // must not read beyond the end
		}
	})
}
