package kit

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"

	"github.com/gin-gonic/gin"
)

//go:embed static/*
var staticFiles embed.FS

// asset is an embedded file ready to be sent.
type asset struct {
	content     []byte
	contentType string
	tag         string // the ETag, a hash of the content
}

func loadAssets() (map[string]asset, error) {
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("web: assets: %w", err)
	}
	all := make(map[string]asset, len(entries))
	for _, e := range entries {
		content, err := staticFiles.ReadFile(path.Join("static", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("web: assets: %w", err)
		}
		sum := sha256.Sum256(content)
		all[e.Name()] = asset{
			content: content, contentType: mime.TypeByExtension(path.Ext(e.Name())), tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
		}
	}
	return all, nil
}

func (s *Site) asset(c *gin.Context) {
	a, ok := s.assets[c.Param("name")]
	if !ok {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	c.Header("Cache-Control", "no-cache")
	c.Header("ETag", a.tag)
	if c.GetHeader("If-None-Match") == a.tag {
		c.Status(http.StatusNotModified)
		return
	}
	c.Data(http.StatusOK, a.contentType, a.content)
}
