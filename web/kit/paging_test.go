package kit

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/storage"
)

// A list says that it has more rows than it counts.
func TestThePagerOfAListThatIsNotCounted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, int64(storage.MaxCounted), int64(manyRows))
	v := spanish(t, time.Time{})
	shown := func(total int64) string {
		view := *v
		view.Pager = (&Pager{number: 1, limit: PageSize, counted: manyRows}).count(&url.URL{Path: "/x"}, PageSize, total)
		return render(t, &view, "pager", &view)
	}
	assert.Contains(t, shown(9_999), "1–50 de 9999")
	assert.Contains(t, shown(10_000), "1–50 de 10.000 o más")
	assert.Contains(t, shown(10_000), `rel="next"`)

	view := *v
	view.Pager = (&Pager{number: 21, limit: PageSize, counted: 1_000}).count(&url.URL{Path: "/x"}, 20, 1_020)
	assert.Contains(t, render(t, &view, "pager", &view), "1001–1020 de 1020<", "the last page counts all")
	view.Pager = &Pager{CSV: "/x?format=csv"}
	assert.NotContains(t, render(t, &view, "pager", &view), "o más", "a page without a list")
	assert.NotContains(t, render(t, &view, "pager", &view), "<span", "nothing empty moves the link off the edge")
}
