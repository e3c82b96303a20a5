package kit

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/web/kit/static"
)

// immutable lets browsers keep a file whose name has the hash of its content for ever.
const immutable = "public, max-age=31536000, immutable"

// asset is an embedded file ready to be sent.
type asset struct {
	content     []byte
	compressed  []byte // by gzip
	contentType string
	hash        string
}

func loadAssets() (map[string]asset, error) {
	entries, err := static.Files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("web: assets: %w", err)
	}
	all := make(map[string]asset, len(entries))
	for _, e := range entries {
		content, err := static.Files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("web: assets: %w", err)
		}
		if path.Ext(e.Name()) == ".js" {
			content = withoutComments(content)
		}
		sum := sha256.Sum256(content)
		compressed, err := compress(content, gzip.BestCompression)
		if err != nil {
			return nil, fmt.Errorf("web: assets: %w", err)
		}
		all[e.Name()] = asset{
			content: content, compressed: compressed, contentType: mime.TypeByExtension(path.Ext(e.Name())), hash: hex.EncodeToString(sum[:8]),
		}
	}
	return all, nil
}

// withoutComments leaves out the lines of a script that are comments, and the spaces before the others: a fifth of what a browser would load. The
// scripts have no text of several lines.
func withoutComments(script []byte) []byte {
	kept := make([]byte, 0, len(script))
	for line := range bytes.Lines(script) {
		if line = bytes.TrimLeft(line, " \t"); !bytes.HasPrefix(line, []byte("//")) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// compress returns a text compressed by gzip.
func compress(content []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// takesGzip reports whether a client takes answers that are compressed by gzip.
func takesGzip(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if name == "gzip" && strings.ReplaceAll(quality, " ", "") != "q=0" {
				return true
			}
		}
	}
	return false
}

// assetAddresses returns a function that returns the address of a file by its name. The address has the hash of the content.
func assetAddresses(prefix string, assets map[string]asset) func(name string) (string, error) {
	return func(name string) (string, error) {
		a, ok := assets[name]
		if !ok {
			return "", fmt.Errorf("web: no asset %s", name)
		}
		extension := path.Ext(name)
		return prefix + strings.TrimSuffix(name, extension) + "." + a.hash + extension, nil
	}
}

// Asset returns the address of a fixed file by its name, with the hash of its content.
func (r *Request) Asset(name string) (string, error) {
	return assetAddresses(r.site.Assets, r.site.assets)(name)
}

// findAsset returns the file with a name, which may have the hash of a content. current reports whether that is the file's.
func (s *Site) findAsset(name string) (a asset, current, ok bool) {
	if a, ok = s.assets[name]; ok {
		return a, false, true
	}
	extension := path.Ext(name)
	base := strings.TrimSuffix(name, extension)
	hash := strings.TrimPrefix(path.Ext(base), ".")
	a, ok = s.assets[strings.TrimSuffix(base, "."+hash)+extension]
	return a, hash == a.hash, ok && hash != ""
}

// asset sends a file. That of another release, which a page asks for while processes are replaced, is sent as it is now.
func (s *Site) asset(c *gin.Context) {
	a, current, ok := s.findAsset(c.Param("name"))
	if !ok {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	c.Header("Cache-Control", "no-cache")
	if current {
		c.Header("Cache-Control", immutable)
	}
	tag := `"` + a.hash + `"`
	c.Header("ETag", tag)
	c.Header("Vary", "Accept-Encoding")
	if c.GetHeader("If-None-Match") == tag {
		c.Status(http.StatusNotModified)
		return
	}
	sendCompressed(c, http.StatusOK, a.contentType, a.content, a.compressed)
}

// sendCompressed sends an answer in its compressed form to a client that takes it.
func sendCompressed(c *gin.Context, status int, contentType string, content, compressed []byte) {
	if len(compressed) > 0 && len(compressed) < len(content) && takesGzip(c.Request) {
		c.Header("Content-Encoding", "gzip")
		content = compressed
	}
	c.Data(status, contentType, content)
}
