package kit_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/web/kit"
)

func TestTheLastOfManyRowsAlikeAreFolded(t *testing.T) {
	t.Parallel()
	of := kit.Alike[string]{
		Top:  2,
		Kind: func(row *string) string { return (*row)[:1] },
		Keep: func(row *string) bool { return *row == "b3" },
		Fold: func(row *string, more int) { *row = strconv.Itoa(more) + " more" },
	}
	assert.Equal(t, []string{"a1", "a2", "a3", "b1", "b2", "b3", "2 more", "c1", "c2", "2 more"},
		kit.FoldAlike([]string{"a1", "a2", "a3", "b1", "b2", "b3", "b4", "b5", "c1", "c2", "c3", "c4"}, of))
}
