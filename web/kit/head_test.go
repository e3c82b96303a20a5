package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadOmitsMissingActionsAndLinks(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"a.title": "Alertas"}}
	h := v.Head("La Fortuna").Link("x", "").Main(false, "New", "/new").Also(false, "Move", "/move").StateIf(false, "entity", "active")
	assert.Equal(t, &Head{Title: "La Fortuna", view: v}, h, "no action without the permission, no link without an address")

	h = v.Head("5").Under([]MenuLink{{Title: "Root", Path: "/1"}}).Up("La Fortuna", "/2").Related([]MenuLink{{Title: "a.title", Path: "/3"}})
	assert.Equal(t, []MenuLink{{Title: "Root", Path: "/1"}, {Title: "La Fortuna", Path: "/2"}}, h.Crumbs, "the highest first")
	assert.Equal(t, []MenuLink{{Title: "Alertas", Path: "/3"}}, h.Links)
}
