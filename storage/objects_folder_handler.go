package storage

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// objectPolicy lets an object run nothing with the rights of the server's pages, which have the same origin.
const objectPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// serve answers GET and HEAD. An object up to MaxObjectSize is compared with its hash first.
func (b *folderBucket) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", objectCache)
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	key := strings.TrimPrefix(r.URL.Path, "/")
	disposition, ok := b.authorize(key, r.URL.Query())
	if !ok {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	if err := b.serveObject(w, r, key, disposition); err != nil {
		b.refuse(w, r, key, err)
	}
}

// serveObject returns an error before it writes anything.
func (b *folderBucket) serveObject(w http.ResponseWriter, r *http.Request, key, disposition string) error {
	object, err := b.object(r.Context(), key)
	if err != nil {
		return err
	}
	defer func() { _ = object.file.Close() }() // was only read
	if r.Method == http.MethodGet && object.size <= MaxObjectSize {
		if err := object.copyTo(r.Context(), io.Discard); err != nil { // ServeContent begins at the start again
			return err
		}
	}
	header := w.Header()
	header.Set("Content-Type", object.contentType)
	header.Set("Etag", fmt.Sprintf(`"%x"`, object.sum))
	if disposition != "" {
		header.Set("Content-Disposition", disposition)
	}
	if media, _, _ := mime.ParseMediaType(object.contentType); media != "application/pdf" { // not shown in a sandbox
		header.Set("Content-Security-Policy", objectPolicy)
	}
	http.ServeContent(w, r, "", object.modified, object.body)
	return nil
}

// refuse answers and logs an error, other than an absent object and a client that has gone.
func (b *folderBucket) refuse(w http.ResponseWriter, r *http.Request, key string, err error) {
	if r.Context().Err() != nil {
		return
	}
	if errors.Is(err, ErrObjectNotFound) || errors.Is(err, ErrObjectKey) {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	b.log.ErrorContext(r.Context(), "object not served", "bucket", b.bucket, "key", key, "error", err)
	http.Error(w, "the object cannot be read", http.StatusInternalServerError)
}
