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
		view.Pager = (&Pager{number: 1, limit: PageSize}).count(&url.URL{Path: "/x"}, PageSize, total)
		return render(t, &view, "pager", &view)
	}
	assert.Contains(t, shown(9_999), "1–50 de 9999")
	assert.Contains(t, shown(10_000), "1–50 de 10.000 o más")
	assert.Contains(t, shown(10_000), `rel="next"`)
}
