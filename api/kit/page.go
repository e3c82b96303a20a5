package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

// PublicPage is a page for everybody, without scripts. Its template writes its style by {{style}}.
type PublicPage struct {
	template *template.Template
	policy   string // lets the page use its own style, and nothing else
}

// NewPublicPage reads name.html and name.css of a directory.
func NewPublicPage(files fs.FS, directory, name string) (*PublicPage, error) {
	at := directory + "/" + name
	style, err := fs.ReadFile(files, at+".css")
	if err != nil {
		return nil, err
	}
	own := template.FuncMap{"style": func() template.CSS { return template.CSS(style) }} //nolint:gosec // an embedded file
	t, err := template.New(name+".html").Funcs(own).ParseFS(files, at+".html")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	return &PublicPage{template: t, policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}, nil
}

// PictureURL returns the address of a PNG that is in its page; "" for none.
func PictureURL(picture []byte) template.URL {
	if len(picture) == 0 {
		return ""
	}
	encoded := base64.StdEncoding.EncodeToString(picture)
	return template.URL("data:image/png;base64," + encoded) //nolint:gosec // an alphabet without markup
}

// Content is an answer to everybody whose handler chooses its type.
type Content struct {
	Status          int
	ContentType     string `header:"Content-Type"`
	CacheControl    string `header:"Cache-Control"`
	ContentLanguage string `header:"Content-Language"`
	Vary            string `header:"Vary"`
	Policy          string `header:"Content-Security-Policy"`
	ETag            string `header:"ETag"`
	AllowOrigin     string `header:"Access-Control-Allow-Origin"`
	ResourcePolicy  string `header:"Cross-Origin-Resource-Policy"`
	Body            []byte
}

// Render writes the page in a language. It is not kept by a browser.
func (p *PublicPage) Render(language string, data any) (*Content, error) {
	var b bytes.Buffer
	err := p.template.Execute(&b, data)
	return &Content{
		Status: http.StatusOK, ContentType: "text/html; charset=utf-8", CacheControl: "no-store", ContentLanguage: language, Vary: "Accept, Accept-Language",
		Policy: p.policy, Body: b.Bytes(),
	}, err
}

// KeptFor lets every cache keep the answer for a time, and a client ask whether it has changed: known is its If-None-Match.
func (c *Content) KeptFor(time, known string) *Content {
	tag := Tag(c.Body)
	c.CacheControl, c.ETag = "public, max-age="+time, tag
	if TagKnown(known, tag) {
		c.Status, c.Body = http.StatusNotModified, nil
	}
	return c
}

// Shared lets scripts of every site read the answer, without cookies.
func (c *Content) Shared() *Content {
	c.AllowOrigin, c.ResourcePolicy = "*", "cross-origin"
	return c
}

// tagBytes of the hash name a version.
const tagBytes = 16

// Tag is the ETag of a content.
func Tag(content []byte) string { return `"` + TagOf(content) + `"` }

// TagOf is the ETag of a content without its quotes.
func TagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:tagBytes])
}

// TagKnown reports whether the list of an If-None-Match header has a tag. A proxy that compresses answers makes tags weak.
func TagKnown(list, tag string) bool {
	for each := range strings.SplitSeq(list, ",") {
		if each = strings.TrimSpace(each); each == "*" || strings.TrimPrefix(each, "W/") == tag {
			return true
		}
	}
	return false
}

// WantsPage reports whether a client is a browser that shows a page.
func WantsPage(accept string) bool { return strings.Contains(accept, HTMLType) }
