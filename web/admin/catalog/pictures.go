package catalog

import (
	"html/template"
	"net/http"

	"banca/internal/catalog"
	"banca/web/kit"
)

// functions are what the templates of the area can call.
func functions() template.FuncMap { return template.FuncMap{"picture": pictureAddress} }

// pictureAddress is the address of a picture in the panel; empty for none.
func pictureAddress(url string) string {
	if name := catalog.PictureName(url); name != "" {
		return picturesPath + "/" + name
	}
	return ""
}

// picture serves a small picture from here: a page may load nothing from elsewhere.
func (p *pages) picture(r *kit.Request) error {
	raw, err := p.Catalog.SmallPicture(r.Context(), r.Param("name"))
	if err != nil {
		return err
	}
	w, _ := r.HTTP()
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable") // its name is its content
	w.Header().Set("Content-Type", "image/png")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(raw) // an error means that the client is gone
	return nil
}

// chosenPicture reads the picture of a form; ok is false without one, because a file cannot wait for a confirmation.
func chosenPicture(r *kit.Request) (raw []byte, ok bool) {
	_, raw, err := r.File()
	return raw, err == nil && len(raw) > 0
}
