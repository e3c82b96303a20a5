package web

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
	"banca/web/kit"
)

// listed is what a list of the panel offers.
type listed struct {
	address string // "" for the address of a page with parameters
	route   string
	noFile  string   // why the list is no file
	orders  []string // values of the parameter sort that its service has, for a list of any length
	fixed   []string // titles of columns that sort nothing, because the file does not have them
	unpaged bool     // all rows are on one page
	silent  []string // fields of the filter in which every text is valid, such as a search
	refused []string // fields whose wrong value refuses the whole page, because its figures would be of something else
}

// reportFields are the fields of a report without which its figures would be of something else.
func reportFields() []string { return []string{"entity", "currency", "draw"} }

// panelLists are the lists of the panel, by area and field of the declaration.
func panelLists() map[string]listed {
	return map[string]listed{
		"catalog.list":       {address: "/admin/games", unpaged: true, silent: []string{"q"}},
		"catalog.categories": {address: "/admin/games/categories", unpaged: true, noFile: "a form for each of the few rows"},
		"money.list":         {address: "/admin/wallets", silent: []string{"q"}},
		"activity.list":      {address: "/admin/activity?sort=-at", orders: []string{"at", "-at"}},
		"users.list":         {address: "/admin/users", silent: []string{"q"}},
		"users.sessions":     {address: "/admin/sessions"},
		"draws.list":         {address: "/admin/draws"},
		"draws.alerts":       {address: "/admin/draws/alerts"},
		"risk.limits":        {address: "/admin/limits", fixed: []string{"Más usado"}, silent: []string{"element"}},
		"org.found":          {address: "/admin/organisation?type=TICKET_POINT", orders: []string{"code", "name"}, fixed: []string{"Venta neta hoy", "Saldo", "Crédito usado"}, silent: []string{"q"}},
		"customers.list":     {address: "/admin/customers", silent: []string{"q"}},
		"customers.tickets":  {route: "/admin/customers/:id/tickets"},
		"customers.payments": {route: "/admin/customers/:id/payments"},
		"bank.events":        {address: "/admin/bank/events", silent: []string{"reference", "phone"}},
		"bank.payments":      {address: "/admin/bank/payments", silent: []string{"reference", "phone"}},
		"bank.requests":      {address: "/admin/bank/requests", silent: []string{"client"}},
		"bank.alerts":        {address: "/admin/bank/alerts"},
		"bank.statements":    {address: "/admin/bank/statements"},
		"weekly.list":        {address: "/admin/weekly", silent: []string{"q"}},
		"assistant.usage":    {address: "/admin/assistant/usage"},
		"closes.list":        {address: "/admin/closes"},
		"closes.missing":     {address: "/admin/closes/missing", unpaged: true},
		"messages.log":       {address: "/admin/messages"},
		"messages.uses":      {address: "/admin/messages/connections", silent: []string{"q"}},
		"texts.list":         {address: "/admin/messages/texts", unpaged: true},
		"reports.tickets":    {route: "/admin/reports/sales/tickets", refused: reportFields()},
		"reports.expired":    {address: "/admin/reports/expired-prizes", refused: reportFields()},
		"reports.files":      {address: "/admin/reports/files", noFile: "its rows are files"},
		"reports.silent":     {address: "/admin/reports/silent", refused: reportFields()},
		"tickets.list":       {address: "/admin/tickets", orders: []string{"sold", "-sold"}, silent: []string{"serial"}},
		"devices.list":       {address: "/admin/devices", silent: []string{"q"}},
		"prizes.list":        {address: "/admin/prizes", silent: []string{"serial"}},
		"prizes.differences": {address: "/admin/prize-differences"},
	}
}

// declaredLists finds the lists that the areas declare.
func declaredLists(t *testing.T) []string {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^\t(\w+)\s+kit\.List\[`)
	var all []string
	files, err := filepath.Glob("admin/*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range declaration.FindAllSubmatch(source, -1) {
			all = append(all, filepath.Base(filepath.Dir(file))+"."+string(found[1]))
		}
	}
	slices.Sort(all)
	return all
}

// Every list of the panel says a wrong value of its filter, leads to its last page and back from beyond it, is ordered by its columns, and is a
// file in words, or the table says why not.
func TestEveryListIsFilteredPagedAndExported(t *testing.T) {
	t.Parallel()
	table := panelLists()
	require.Equal(t, declaredLists(t), slices.Sorted(maps.Keys(table)), "add the list to panelLists")
	s := setupTestbed(t, 25)
	s.header["Accept-Language"] = spanish
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	l := &listReader{testbed: s, words: words[kit.Spanish], codes: codesOf(words[kit.Spanish])}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		of := table[name]
		if of.address == "" {
			require.NotEmpty(t, s.pages[of.route], name)
			of.address = s.pages[of.route][0]
		}
		l.checkFilter(t, &of)
		rows := l.checkPages(t, &of)
		l.checkOrders(t, &of)
		l.checkFile(t, &of, rows)
	}
}

// listReader reads lists as a user with all permissions.
type listReader struct {
	*testbed

	words map[string]string
	codes map[string]bool
}

// codesOf are the states and kinds whose texts differ from them. A file has the texts.
func codesOf(words map[string]string) map[string]bool {
	codes := map[string]bool{}
	for key, text := range words {
		prefix, rest, _ := strings.Cut(key, ".")
		parts := strings.Split(rest, ".")
		code := parts[len(parts)-1]
		switch prefix {
		case "state", "type", "role", "bet", "module", "phase", "origin", "drawalert", "alert":
			if text != code && !strings.HasSuffix(key, ".one") {
				codes[code] = true
			}
		}
	}
	return codes
}

// page reads an address of a list.
func (l *listReader) page(t *testing.T, address string) (body string, document *html.Node) {
	t.Helper()
	w := l.get(address)
	require.Equal(t, http.StatusOK, w.Code, address)
	body = w.Body.String()
	document, err := html.Parse(strings.NewReader(body))
	require.NoError(t, err)
	return body, document
}

// all returns the elements of a kind below a node.
func all(n *html.Node, kind atom.Atom) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == kind {
			found = append(found, d)
		}
	}
	return found
}

// filterFields are the names of the fields of the filter.
func filterFields(document *html.Node) (names []string) {
	for _, form := range all(document, atom.Form) {
		if attribute(form, "class") != "filter" {
			continue
		}
		for _, kind := range []atom.Atom{atom.Input, atom.Select} {
			for _, field := range all(form, kind) {
				names = append(names, attribute(field, "name"))
			}
		}
	}
	return names
}

// changed returns an address with another value of a parameter.
func changed(address, name, value string) string {
	u, _ := url.Parse(address)
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// checkFilter types a wrong value into each field of the filter.
func (l *listReader) checkFilter(t *testing.T, of *listed) {
	t.Helper()
	_, document := l.page(t, of.address)
	for _, field := range filterFields(document) {
		if slices.Contains(of.silent, field) {
			continue
		}
		w := l.get(changed(of.address, field, "zzz-nothing"))
		if !slices.Contains(of.refused, field) {
			assert.Equal(t, http.StatusOK, w.Code, "%s: a wrong %s refuses the list", of.address, field)
		}
		said := strings.Contains(w.Body.String(), `class="problem"`) || strings.Contains(w.Body.String(), `id="w-`+field+`"`)
		assert.True(t, said, "%s: a wrong %s is not said", of.address, field)
	}
	body, _ := l.page(t, changed(of.address, "sort", "zzz"))
	assert.Contains(t, body, l.words["filter.wrong"], "%s: an unknown order is not said", of.address)
}

// rowsOf counts the rows of the first table of a page.
func rowsOf(document *html.Node) int {
	tables := all(document, atom.Tbody)
	if len(tables) == 0 {
		return 0
	}
	count := 0
	for _, row := range all(tables[0], atom.Tr) {
		if attribute(row, "class") != "group" {
			count++
		}
	}
	return count
}

// turn returns the address of the link to another page; "" for none.
func turn(document *html.Node, rel string) string {
	for _, link := range all(document, atom.A) {
		if attribute(link, "rel") == rel {
			return attribute(link, "href")
		}
	}
	return ""
}

// checkPages follows the links to the last page, and returns the number of rows of all pages.
func (l *listReader) checkPages(t *testing.T, of *listed) (rows int) {
	t.Helper()
	pages := 0
	for address := of.address; address != ""; pages++ {
		require.Less(t, pages, 500, of.address)
		_, document := l.page(t, address)
		rows += rowsOf(document)
		address = turn(document, "next")
	}
	if of.unpaged || rows == 0 {
		return rows
	}
	body, _ := l.page(t, changed(of.address, "page", "9000"))
	assert.Contains(t, body, l.words["list.beyond"], "%s: a page beyond the last is empty, or repeats rows", of.address)
	return rows
}

// checkOrders orders the list by each of its columns. A short list has the same rows in every order.
func (l *listReader) checkOrders(t *testing.T, of *listed) {
	t.Helper()
	_, document := l.page(t, of.address)
	rows := rowsOf(document)
	fixed := titlesWithoutOrder(document)
	if rows < 2 {
		return // nothing to order
	}
	assert.ElementsMatch(t, of.fixed, fixed, "%s: columns that do not order the list", of.address)
	offered := map[string]bool{}
	links := linksOf(document, "sort")
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(links))), len(links), "%s: two columns with one order", of.address)
	for _, ascending := range links {
		sorted, page := l.page(t, ascending)
		assert.Equal(t, 1, strings.Count(sorted, `aria-sort="`), ascending)
		assert.NotContains(t, sorted, l.words["filter.wrong"], ascending)
		assert.Equal(t, rows, rowsOf(page), ascending)
		offered[orderOf(t, ascending)] = true
		for _, next := range linksOf(page, "sort") {
			offered[orderOf(t, next)] = true
		}
	}
	for _, order := range of.orders {
		body, _ := l.page(t, changed(of.address, "sort", order))
		assert.Contains(t, body, `aria-sort="`, order)
		assert.Contains(t, offered, order, of.address)
	}
}

// titlesWithoutOrder are the titles in the head of the first table that are no link.
func titlesWithoutOrder(document *html.Node) (titles []string) {
	tables := all(document, atom.Thead)
	if len(tables) == 0 {
		return nil
	}
	for _, head := range all(tables[0], atom.Th) {
		if len(all(head, atom.A)) > 0 || len(all(head, atom.Span)) > 0 {
			continue
		}
		if head.FirstChild != nil {
			titles = append(titles, head.FirstChild.Data)
		}
	}
	return titles
}

func orderOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Query().Get("sort")
}

// linksOf are the links in the heads of the table with a parameter.
func linksOf(document *html.Node, parameter string) (links []string) {
	for _, head := range all(document, atom.Th) {
		for _, link := range all(head, atom.A) {
			if href := attribute(link, "href"); strings.Contains(href, parameter+"=") {
				links = append(links, href)
			}
		}
	}
	return links
}

// checkFile reads the list as files: all rows, in words.
func (l *listReader) checkFile(t *testing.T, of *listed, rows int) {
	t.Helper()
	body, _ := l.page(t, of.address)
	if of.noFile != "" {
		assert.NotContains(t, body, "format=csv", "%s is a file: %s", of.address, of.noFile)
		return
	}
	if rows > 0 {
		assert.Contains(t, body, "format=csv", of.address)
		assert.Contains(t, body, "format=xlsx", of.address)
	}
	w := l.get(changed(of.address, "format", "xlsx"))
	require.Equal(t, http.StatusOK, w.Code, of.address)
	assert.True(t, strings.HasPrefix(w.Body.String(), "PK"), of.address)
	w = l.get(changed(of.address, "format", "csv"))
	require.Equal(t, http.StatusOK, w.Code, of.address)
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.Body.String(), "\uFEFF")))
	reader.Comma = ';'
	table, err := reader.ReadAll()
	require.NoError(t, err, of.address)
	assert.Len(t, table[1:], rows, "%s: the file has not the rows of the pages", of.address)
	utc := regexp.MustCompile(`\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)|^[0-9.]+\.\d\d$|[{\[]"`)
	for _, row := range table[1:] {
		for i, cell := range row {
			title := table[0][i]
			assert.False(t, l.codes[cell] && !isCode(title), "%s: %s is the code %q", of.address, title, cell)
			if !slices.Contains([]string{"Detalle", "Qué cambió", "Nota", "Texto"}, title) { // what a person wrote, or the log recorded
				assert.NotRegexp(t, utc, cell, "%s: %s is not local", of.address, title)
			}
		}
	}
	for _, title := range table[0] {
		assert.NotContains(t, title, ".", "%s: a title without a text", of.address)
	}
}

// isCode reports whether a column has codes.
func isCode(title string) bool { return strings.HasPrefix(title, "Código") || title == "Id" }

// An id in the address that is none is said, so that a list without a filter is not taken for the list of one object.
func TestAnInvalidIDInTheAddressOfAListIsSaid(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for _, address := range []string{"/admin/activity?user=", "/admin/sessions?user=", "/admin/users?entity=", "/admin/prizes?draw=", "/admin/organisation?parent="} {
		said := func(id string) bool {
			return strings.Contains(p.get(address+id).Body.String(), words[kit.Spanish]["filter.wrong"])
		}
		assert.True(t, said("nobody"), address)
		assert.False(t, said(fixture.EntityID(seed.CodeAgency).String()), address)
	}
}
