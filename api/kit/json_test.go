package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`: false, `[]`: false, `1`: false, `"a"`: false, `null`: false,
		`{"a":1,"b":2}`: false, `{"a":1,"a":2}`: true, `{"a":1,"\u0061":2}`: true,
		`{"a":{"a":1},"b":{"a":1}}`: false, `[{"a":1},{"a":1}]`: false, `{"x":[{"a":1,"a":1}]}`: true,
		`{"a":"a","b":"a"}`: false, `{"a":["a","a"]}`: false, `{"a":[1],"a":2}`: true,
		"\t{ \"a\" : 1 ,\n\"a\" : 2 } \r\n": true,
	} {
		var v any
		err := unmarshal([]byte(text), &v)
		if want {
			assert.ErrorIs(t, err, ErrDuplicateKey, text)
		} else {
			assert.NoError(t, err, text)
		}
	}
}
