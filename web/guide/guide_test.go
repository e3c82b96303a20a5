package guide

import (
	"html"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/docs"
	"banca/docs/pictures"
	"banca/web/kit"
)

// readAnew reads the guide with addresses of pictures that are their names.
func readAnew() (*book, error) {
	return newBook(func(name string) (string, error) { return "/static/" + name, nil })
}

var readOnce = sync.OnceValues(readAnew) //nolint:gochecknoglobals // a lazy constant

// readBook returns the guide, which all tests share.
func readBook(t testing.TB) *book {
	t.Helper()
	b, err := readOnce()
	require.NoError(t, err)
	return b
}

// anchorsOf are the anchors of the sections of a chapter.
func anchorsOf(t *text) map[string]bool {
	all := map[string]bool{}
	for _, h := range t.Sections {
		all[h.Anchor] = true
	}
	return all
}

var hrefs = regexp.MustCompile(`href="([^"]*)"`)

// Every link between chapters leads to a chapter and a section that exist, in both languages.
func TestTheLinksOfTheChapters(t *testing.T) {
	t.Parallel()
	b := readBook(t)
	links, sections := 0, 0
	for name, languages := range b.texts {
		for language, shown := range languages {
			for _, found := range hrefs.FindAllStringSubmatch(string(shown.HTML), -1) {
				address := html.UnescapeString(found[1])
				page, anchor, _ := strings.Cut(address, "#")
				target := shown
				switch {
				case strings.HasPrefix(page, Path+"/"):
					links++
					target = b.text(strings.TrimPrefix(page, Path+"/"), language)
					require.NotNil(t, target, "%s of %s", address, name)
				case page == "/changelog", strings.HasPrefix(page, "https://"):
					continue
				case page != "":
					require.Fail(t, "a link that the guide does not have", "%s of %s", address, name)
				}
				if anchor != "" {
					sections++
					assert.True(t, anchorsOf(target)[anchor], "%s of %s", address, name)
				}
			}
		}
	}
	assert.Greater(t, links, 50)
	assert.Greater(t, sections, 200)
}

// Every document is a chapter, every part of it is in exactly one, and pictures have their size.
func TestTheChaptersHaveTheDocuments(t *testing.T) {
	t.Parallel()
	b := readBook(t)
	files, err := fs.Glob(docs.Texts, "*.md")
	require.NoError(t, err)
	spanish, err := fs.Glob(docs.Texts, docs.Spanish+"/*.md")
	require.NoError(t, err)
	require.Len(t, b.anchors, len(spanish), "every Spanish document is a chapter's")
	for _, file := range append(files, spanish...) {
		if file == "README.md" { // the start page takes its place
			continue
		}
		sections, err := readDocument(file)
		require.NoError(t, err)
		for _, s := range sections {
			address, ok := b.link("x.md", file+"#"+s.anchor)
			assert.True(t, ok, "%s#%s", file, s.anchor)
			assert.NotEmpty(t, address)
		}
	}
	panel := string(b.text("panel", kit.English).HTML)
	assert.Contains(t, panel, `<img src="/static/board.png" alt="Tablero del día" width="1080" height="750" loading="lazy">`)
	assert.Contains(t, panel, `<h2 id="tickets">Tickets`)
	counter := string(b.text("counter", kit.Spanish).HTML)
	assert.Contains(t, counter, `<td data-title="qué hacer"><div>cobre; Enter`, "a wide table is readable on a phone")
	assert.Contains(t, counter, `<td>un número con su signo</td>`)
	assert.Contains(t, panel, `href="/docs/guide/counter"`, "a section of a document is a chapter of its own")
	for name, languages := range b.texts {
		for _, shown := range languages {
			page := string(shown.HTML)
			assert.NotContains(t, page, "adr/", name)
			assert.NotRegexp(t, `<a [^>]*>[a-z]+\.md</a>`, page, "%s: a link to a chapter has its title", name)
			assert.NotRegexp(t, `\]\(|<script|\*\*\w`, regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>`).ReplaceAllString(page, ""), name)
		}
	}
}

// What cashiers, owners and the bank read is in Spanish, section by section, at the same anchors and with the same
// tables, code and pictures.
func TestTheLanguagesOfTheChapters(t *testing.T) {
	t.Parallel()
	b := readBook(t)
	for _, name := range []string{"counter", "panel", "figures", "bank"} {
		english, spanish := b.texts[name][kit.English], b.texts[name][kit.Spanish]
		require.NotNil(t, spanish, name)
		require.Len(t, spanish.Sections, len(english.Sections), name)
		for i, h := range spanish.Sections {
			assert.Equal(t, english.Sections[i].Anchor, h.Anchor, name)
			assert.Equal(t, english.Sections[i].Level, h.Level, name)
		}
		for _, element := range []string{"<tr>", "<li>", "<pre", "<img"} {
			assert.Equal(t, strings.Count(string(english.HTML), element), strings.Count(string(spanish.HTML), element), "%s of %s", element, name)
		}
		assert.NotEqual(t, english.Title, spanish.Title)
		words := float64(len(strings.Fields(plainText(string(spanish.HTML))))) / float64(len(strings.Fields(plainText(string(english.HTML)))))
		assert.InDelta(t, 1.15, words, 0.25, "%s has as much text in both languages", name)
	}
	assert.Equal(t, kit.English, b.text("operations", kit.Spanish).Language)
	assert.Nil(t, b.text("nothing", kit.Spanish))

	c := chapter{name: "panel", file: "panel.md", spanish: "es/taquilla.md"}
	sections, err := c.english()
	require.NoError(t, err)
	_, _, err = c.translated(sections)
	require.ErrorIs(t, err, errHeadings)
}

func TestSectionsOfADocument(t *testing.T) {
	t.Parallel()
	sections := sectionsOf("# T\n\nzero\n\n## A [b](c.md) `d`\n```sh\n# no heading\n```\n## Año 2\n### Uno\n## Uno\n")
	var found []string
	for _, s := range sections {
		found = append(found, s.anchor)
	}
	assert.Equal(t, []string{"t", "a-b-d", "año-2", "uno", "uno-1"}, found)
	assert.Contains(t, sections[1].body, "# no heading")
	own := within(sections, "año-2")
	require.Len(t, own, 2)
	assert.Equal(t, []int{1, 2}, []int{own[0].level, own[1].level})
	assert.Len(t, except(sections, "año-2"), 3)
	assert.Empty(t, within(sections, "nothing"))
}

// A search finds the section that answers, whichever language, form and accents the words have.
func TestSearch(t *testing.T) {
	t.Parallel()
	b := readBook(t)
	for _, c := range []struct{ query, language, want string }{
		{"anular", kit.Spanish, "/docs/guide/counter#what-the-page-says"},
		{"ANULAR un ticket", kit.Spanish, "/docs/guide/panel#tickets"},
		{"anulación", kit.English, "/docs/guide/glossary#sales-and-prizes"},
		{"cierre de caja", kit.Spanish, "/docs/guide/figures#the-daily-close"},
		{"cuadre semanal", kit.Spanish, "/docs/guide/figures#the-weekly-settlement"},
		{"daily close", kit.English, "/docs/guide/money#daily-closes"},
		{"devolucion", kit.English, "/docs/guide/glossary#sales-and-prizes"},
		{"refund", kit.Spanish, "/docs/guide/glossary#sales-and-prizes"},
		{"importar taquillas", kit.Spanish, "/docs/guide/panel#importing-ticket-points"},
		{"import ticket points", kit.English, "/docs/guide/panel#importing-ticket-points"},
		{"codigo de validacion", kit.Spanish, "/docs/guide/panel#tickets"},
		{"rotate token", kit.English, "/docs/guide/bank#rotating-the-token"},
		{"cambiar el token", kit.Spanish, "/docs/guide/bank#rotating-the-token"},
		{"OUTCOME_UNKNOWN", kit.English, "/docs/guide/errors#503"},
		{"restore backup", kit.English, "/docs/guide/operations#backing-up"},
		{"F12", kit.Spanish, "/docs/guide/counter#keys"},
	} {
		list := b.index.search(c.query, c.language)
		var addresses []string
		for _, f := range list {
			addresses = append(addresses, f.Address)
		}
		require.NotEmpty(t, list, c.query)
		assert.Contains(t, addresses[:min(4, len(addresses))], c.want, "%s: %v", c.query, addresses)
		for _, f := range list {
			assert.NotEmpty(t, f.Path)
			assert.Less(t, len(f.Excerpt), 2*excerptWords+3)
		}
	}
	first := b.index.search("conciliar pagos", kit.Spanish)[0]
	assert.Equal(t, kit.Spanish, first.Language)
	marks := 0
	for _, p := range first.Excerpt {
		if p.Mark {
			marks++
			assert.Regexp(t, `(?i)^(concilia|pago)`, p.Text)
		}
	}
	assert.Positive(t, marks)
	for _, f := range b.index.search("token banco", kit.Spanish) {
		if strings.HasPrefix(f.Address, "/docs/guide/bank") {
			assert.Equal(t, kit.Spanish, f.Language, "a section is shown in the language of the page")
		}
	}
}

// No query fails, shows too much or takes long.
func TestHostileSearches(t *testing.T) {
	t.Parallel()
	b := readBook(t)
	for _, query := range []string{
		"", " ", "¿?", "%", "a", "e", "<script>alert(1)</script>", "' OR 1=1 --", "../../etc/passwd", "\x00", "\xff\xfe", strings.Repeat("a", 100_000), strings.Repeat("sorteo ", 50_000),
		strings.Repeat("́", 5000), "ÁÉÍÓÚÑ", "zzzzqqqq", "(((((", "😀", "el la de que y a en un", "\u202egnp",
	} {
		list := b.index.search(query, kit.Spanish)
		assert.LessOrEqual(t, len(list), maxFound, "%.20q", query)
		for _, f := range list {
			for _, p := range f.Excerpt {
				assert.True(t, utf8.ValidString(p.Text))
			}
		}
	}
	assert.Empty(t, b.index.search("zzzzqqqq", kit.Spanish))
	fastest := time.Duration(math.MaxInt64)
	for range 5 {
		begin := time.Now()
		b.index.search("a e i o s t de la que el sorteo ticket venta anular", kit.Spanish)
		fastest = min(fastest, time.Since(begin))
	}
	assert.Less(t, fastest, 20*time.Millisecond)
}

// The documents stay a small part of the program.
func TestSizeOfTheGuide(t *testing.T) {
	t.Parallel()
	size := int64(0)
	for _, files := range []fs.FS{docs.Texts, pictures.Files} {
		require.NoError(t, fs.WalkDir(files, ".", func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		}))
	}
	assert.Less(t, size, int64(700_000))
}

func BenchmarkBook(b *testing.B) {
	for b.Loop() {
		_, err := readAnew()
		require.NoError(b, err)
	}
}

func BenchmarkSearch(b *testing.B) {
	book := readBook(b)
	for b.Loop() {
		book.index.search("como anular un ticket de la taquilla", kit.Spanish)
	}
}
