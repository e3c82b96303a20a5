package test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

const orgPath = "/admin/organisation"

// orgPage is the page of a seeded entity.
func orgPage(code string) string { return orgPath + "/" + seed.ID("entity", code).String() }

// confirm gives the password where a sensitive action asks for it, which a fresh login has done already.
func (p *panel) confirm() {
	p.t.Helper()
	if p.count("#confirm_password") > 0 {
		p.tab.Fill("#confirm_password", seed.Password)
		p.tab.Follow("main form button")
	}
}

// create creates an entity below that of a page, through its form, and returns the address of its own page.
func (p *panel) create(above, parent, kind, name, code string) string {
	p.t.Helper()
	p.visit(above)
	p.tab.Follow(`.head .actions a[href*="/new"]`)
	require.Contains(p.t, browser.Value[string](p.tab, `document.querySelector("#parent").value`), "("+parent+")", "where it was asked for")
	p.tab.Choose("#type", kind)
	p.tab.Fill("#name", name)
	p.tab.Fill("#code", code)
	p.tab.Follow("main form button")
	require.Equal(p.t, name, p.tab.Text("h1"))
	require.Equal(p.t, "The entity was created.", p.tab.Text(".notice"))
	return browser.Value[string](p.tab, `location.pathname`)
}

// open unfolds a group of settings.
func (p *panel) open(selector string) {
	p.t.Helper()
	p.tab.Click(selector + " > summary")
	p.tab.Until(`document.querySelector(` + quote(selector) + `).open`)
}

func panelEntities(p *panel) {
	t := p.t
	p.enter(orgPath)
	require.Contains(t, p.tab.Text(".tree"), "Taquilla Doña Peña")
	group := p.create(orgPage(seed.CodeOtherAgency), seed.CodeOtherAgency, "GROUP", "Grupo Ñandú", "GRU-PANEL")
	point := p.create(group, "GRU-PANEL", "TICKET_POINT", "Taquilla Ñandú", "TAQ-PANEL")

	p.visit(group)
	p.open("#finance")
	p.tab.Fill("#r0-percent", "7,50")
	p.tab.Follow(`#finance button[value="save"]`)
	p.confirm()
	require.Equal(t, "The changes were saved.", p.tab.Text(".notice"))
	p.visit(point)
	require.Contains(t, p.tab.Text("#finance > summary"), "7.50 %", "it is inherited")
	p.open("#finance")
	p.open("#finance details")
	require.Contains(t, strings.Join(p.texts("#finance tbody td"), " "), "GRU-PANEL", "and says of whom")

	p.visit(group)
	p.open("#finance")
	p.tab.Expect("422 POST")
	p.tab.Fill("#r0-percent", "14.01")
	p.tab.Follow(`#finance button[value="save"]`)
	require.NotEmpty(t, p.tab.Text("#problem"))
	require.Equal(t, "Above the rate of the parent: at most 14.00 %.", p.tab.Text("#h-percent-0"), "next to its field")
	require.Equal(t, "14.01", browser.Value[string](p.tab, `document.querySelector("#r0-percent").value`), "what was typed stays")
	p.visit(group)
	require.Contains(t, p.tab.Text("#finance > summary"), "7.50 %", "and nothing happened")

	p.tab.Click(".head .menu > summary")
	p.tab.Follow(`.head .menu a[href$="/move"]`)
	p.tab.Fill("#to", seed.CodeAgency)
	p.tab.Press(kb.Tab) // the suggestions are closed
	p.tab.Follow("main form button")
	require.Contains(t, p.tab.Text("#result"), "Grupo Ñandú below Agencia El Ávila")
	p.visit(group)
	require.Contains(t, p.tab.Text(".crumbs"), "Agencia Maracay", "it was only tried")
	p.visit(group + "/move?to=" + seed.CodeAgency)
	p.tab.Follow("#result form button")
	p.confirm()
	require.Contains(t, p.tab.Text(".crumbs"), "Agencia El Ávila")

	p.tab.Expect("409 POST")
	p.open(".head details.menu")
	p.open(`details.confirm:has(form[action$="/delete"])`)
	p.tab.Follow(`form[action$="/delete"] button`)
	p.confirm()
	require.Contains(t, p.tab.Text("#problem"), "The entity has others below it", "why it was not deleted")
	p.visit(point)
	p.open(".head details.menu")
	p.open(`details.confirm:has(form[action$="/delete"])`)
	p.tab.Follow(`form[action$="/delete"] button`)
	require.Equal(t, group, browser.Value[string](p.tab, `location.pathname`), "it leads to the parent")
	require.Equal(t, "The entity was deleted.", p.tab.Text(".notice"))
}

func panelDocuments(p *panel) {
	t := p.t
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 60, 40))))
	dir := t.TempDir()
	write := func(name string, body []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, body, 0o600))
		return file
	}
	at := orgPage(seed.CodeTicketPoint2)
	p.enter(at)
	p.tab.Click("#documents > summary")
	p.tab.Expect("422 POST")
	p.tab.Upload("#file", write("foto.png", []byte("<html>no picture")))
	p.tab.Follow(`form[action$="/documents"] button`)
	require.Contains(t, p.tab.Text("#h-file"), "not a PNG, JPEG or PDF", "next to its field")

	p.tab.Upload("#file", write("cédula.png", picture.Bytes()))
	p.tab.Choose("#kind", "identity_card")
	p.tab.Follow(`form[action$="/documents"] button`)
	require.Equal(t, "The changes were saved.", p.tab.Text(".notice"))
	require.Equal(t, "cédula.png", p.tab.Text(`a[target="_blank"]`))
	document := browser.Value[string](p.tab, `document.querySelector('a[target="_blank"]').pathname`)
	p.tab.Allow("favicon.ico") // of the store, which has none; the headless shell does not request it
	p.visit(document)
	require.Equal(t, []int{60, 40}, browser.Value[[]int](p.tab, `[document.images[0].naturalWidth, document.images[0].naturalHeight]`), "the picture itself")
	require.Contains(t, browser.Value[string](p.tab, `location.search`), "X-Amz-Expires=300")

	p.visit(at)
	p.tab.Click(`td > details.confirm > summary`)
	p.tab.Follow(`form[action$="/remove"] button`)
	p.confirm()
	require.Zero(t, p.count(`a[target="_blank"]`))
}

// Everything can be done without scripts, and every page fits a phone, light and dark.
func panelOrganisationOnAPhone(p *panel) {
	t := p.t
	p.tab.NoScripts()
	p.enter(orgPath)
	p.tab.Narrow()
	p.tab.Expect("422 POST")
	at := orgPage(seed.CodeOtherPoint)
	p.visit(at)
	p.open(`details.group:has(form[action$="/settings/contact_info"])`)
	p.tab.Fill(`[id="contact_info.phone"]`, "12")
	p.tab.Follow(`form[action$="/settings/contact_info"] button`)
	require.Equal(t, "A telephone such as 0414-1234567.", p.tab.Text(`[id="h-contact_info.phone"]`))
	p.tab.Fill(`[id="contact_info.phone"]`, "0414-1234567")
	p.tab.Follow(`form[action$="/settings/contact_info"] button`)
	require.Equal(t, "The changes were saved.", p.tab.Text(".notice"))

	p.tab.Expect("409 GET")
	for _, path := range []string{
		orgPath, orgPath + "?q=taq", orgPath + "?parent=" + seed.ID("entity", seed.CodeGroup).String(), orgPath + "?q=nothing", orgPath + "/new", at, orgPage(seed.CodeAgency),
		orgPage(seed.CodeAgency) + "/move?to=" + seed.CodeOperator, orgPage(seed.CodeAgency) + "/move?to=" + seed.CodeGroup,
	} {
		p.visit(path)
		light := requireInOrder(t, p, path, "light")
		require.NotEqual(t, light, requireInOrder(t, p, path, "dark"), path)
	}
}
