package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadOmitsMissingActionsAndLinks(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"a.title": "Alertas"}}
	h := v.Head("La Fortuna").Link("x", "").MainAction(false, "New", "/new").OtherAction(false, "Move", "/move").StateIf(false, "entity", "active")
	assert.Equal(t, &Head{Title: "La Fortuna", view: v}, h, "no action without the permission, no link without an address")

	h = v.Head("5").Parents([]MenuLink{{Title: "Root", Path: "/1"}}).Parent("La Fortuna", "/2").Related([]MenuLink{{Title: "a.title", Path: "/3"}})
	assert.Equal(t, []MenuLink{{Title: "Root", Path: "/1"}, {Title: "La Fortuna", Path: "/2"}}, h.Crumbs, "the highest first")
	assert.Equal(t, []MenuLink{{Title: "Alertas", Path: "/3"}}, h.Links)
}
