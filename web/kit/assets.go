package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"

	"banca/internal/platform/gzipped"
	"banca/web/kit/static"
)

// immutable lets browsers keep a file whose name has the hash of its content for ever.
const immutable = "public, max-age=31536000, immutable"

// asset is an embedded file ready to be sent.
type asset struct {
	content     []byte
	compressed  []byte // by gzip; nil for a picture
	contentType string
	hash        string
}

// Assets are static files by name, which are minified and compressed once in a process.
type Assets func() (map[string]asset, error)

// loadAssets are the files of every site.
var loadAssets = NewAssets(static.Files) //nolint:gochecknoglobals // a lazy constant

// NewAssets returns the files at the top of file systems, whose names differ.
func NewAssets(files ...fs.ReadDirFS) Assets {
	return sync.OnceValues(func() (map[string]asset, error) {
		all := map[string]asset{}
		for _, f := range files {
			read, err := readAssets(f)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, read)
		}
		return all, nil
	})
}

func readAssets(files fs.ReadDirFS) (map[string]asset, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("web: assets: %w", err)
	}
	all := make(map[string]asset, len(entries))
	for _, e := range entries {
		content, err := fs.ReadFile(files, e.Name())
		if err != nil {
			return nil, fmt.Errorf("web: assets: %w", err)
		}
		if content, err = minified(e.Name(), content); err != nil {
			return nil, fmt.Errorf("web: asset %s: %w", e.Name(), err)
		}
		sum := sha256.Sum256(content)
		var compressed []byte
		if path.Ext(e.Name()) != ".png" { // which is compressed already
			if compressed, err = gzipped.Bytes(content, gzipped.Best); err != nil {
				return nil, fmt.Errorf("web: assets: %w", err)
			}
		}
		all[e.Name()] = asset{
			content: content, compressed: compressed, contentType: mime.TypeByExtension(path.Ext(e.Name())), hash: hex.EncodeToString(sum[:8]),
		}
	}
	return all, nil
}

// siteAssets returns the files of every site and of its areas.
func siteAssets(areas []Area) (map[string]asset, error) {
	own, err := loadAssets()
	if err != nil {
		return nil, err
	}
	all := maps.Clone(own)
	for i := range areas {
		if areas[i].Static == nil {
			continue
		}
		assets, err := areas[i].Static()
		if err != nil {
			return nil, err
		}
		for name, a := range assets {
			if _, taken := all[name]; taken {
				return nil, fmt.Errorf("web: two assets %s", name)
			}
			all[name] = a
		}
	}
	return all, nil
}

// minified returns a script or a style sheet without comments, needless spaces and long local names: two thirds of what a browser would load.
// Other files are returned as they are, and so is a file that its authors minified.
func minified(name string, content []byte) ([]byte, error) {
	kinds := map[string]minify.MinifierFunc{".js": js.Minify, ".css": css.Minify}
	minifier, ok := kinds[path.Ext(name)]
	if !ok || strings.Contains(name, ".min.") {
		return content, nil
	}
	var out bytes.Buffer
	err := minifier(minify.New(), &out, bytes.NewReader(content), nil)
	return out.Bytes(), err
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
	if len(compressed) > 0 && len(compressed) < len(content) && takesGzip(c) {
		c.Header("Content-Encoding", gzipped.Coding)
		content = compressed
	}
	c.Data(status, contentType, content)
}

func takesGzip(c *gin.Context) bool {
	return gzipped.Accepted(c.Request.Header.Values("Accept-Encoding")...)
}
