package embedded

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3afero"
	"github.com/rclone/gofakes3/signature"
	"github.com/spf13/afero"
)

// s3MaxBody bounds a request body, in bytes. It is larger than the largest object of the application.
const s3MaxBody = 32 << 20

// s3Handler adds request signatures and bucket policies to gofakes3, which has neither. An unsigned request succeeds
// only if it reads an object that its bucket's policy makes public.
type s3Handler struct {
	objects              http.Handler
	backend              gofakes3.Backend
	policies             policyStore
	accessKey, secretKey string
}

// newS3Handler keeps objects, metadata and policies in files below dir.
func newS3Handler(dir, accessKey, secretKey string) (*s3Handler, error) {
	files, err := s3afero.FsPath(filepath.Join(dir, "store"), s3afero.FsPathCreateAll)
	if err != nil {
		return nil, err
	}
	backend, err := s3afero.MultiBucket(files)
	if err != nil {
		return nil, err
	}
	return &s3Handler{
		objects: gofakes3.New(backend, gofakes3.WithoutVersioning()).Server(), backend: backend,
		policies: policyStore{files: afero.NewBasePathFs(files, "policies")}, accessKey: accessKey, secretKey: secretKey,
	}, nil
}

func (h *s3Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if refusal := h.authorize(r, bucket, key); refusal != nil {
		writeS3Error(w, *refusal)
		return
	}
	// gofakes3 holds its lock while it copies a body: a slow client must not block the other requests.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s3MaxBody))
	if err != nil {
		writeS3Error(w, signature.APIError{Code: "IncompleteBody", Description: err.Error(), HTTPStatusCode: http.StatusBadRequest})
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if _, ok := r.URL.Query()["policy"]; ok && key == "" {
		h.servePolicy(w, r, bucket, body)
		return
	}
	if control := r.Header.Get(cacheControl); control != "" && r.Method == http.MethodPut {
		r.Header.Set(keptCacheControl, control)
	}
	response := &cacheResponse{ResponseWriter: w}
	h.objects.ServeHTTP(response, r)
	response.restore() // of a response without a body
}

// gofakes3 stores headers that begin with X-Amz- and loses Cache-Control, so it is stored under another name.
const (
	cacheControl     = "Cache-Control"
	keptCacheControl = "X-Amz-Kept-Cache-Control"
)

// cacheResponse restores the Cache-Control of an object before the headers are sent.
type cacheResponse struct{ http.ResponseWriter }

func (c *cacheResponse) restore() {
	if control := c.Header().Get(keptCacheControl); control != "" {
		c.Header().Set(cacheControl, control)
		c.Header().Del(keptCacheControl)
	}
}

// WriteHeader implements [http.ResponseWriter].
func (c *cacheResponse) WriteHeader(status int) {
	c.restore()
	c.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (c *cacheResponse) Write(body []byte) (int, error) {
	c.restore()
	return c.ResponseWriter.Write(body)
}

// authorize returns nil for a request that is signed by the account and for an unsigned request that reads a
// public object.
func (h *s3Handler) authorize(r *http.Request, bucket, key string) *signature.APIError {
	signed := r.Header.Get("Authorization") != "" || r.URL.Query().Get("X-Amz-Signature") != ""
	if !signed {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if reads && key != "" && h.policies.allowsRead(bucket, key) {
			return nil
		}
		return &signature.APIError{Code: "AccessDenied", Description: "Access Denied", HTTPStatusCode: http.StatusForbidden}
	}
	code := signature.V4SignVerifyWithLookup(r, func(accessKey string) (string, bool) { return h.secretKey, accessKey == h.accessKey })
	if code == signature.ErrNone {
		return nil
	}
	refusal := signature.GetAPIError(code)
	return &refusal
}

// servePolicy sets, returns or deletes the policy of a bucket.
func (h *s3Handler) servePolicy(w http.ResponseWriter, r *http.Request, bucket string, body []byte) {
	if found, err := h.backend.BucketExists(bucket); err != nil || !found {
		writeS3Error(w, signature.APIError{Code: "NoSuchBucket", Description: "The bucket does not exist", HTTPStatusCode: http.StatusNotFound})
		return
	}
	var err error
	switch r.Method {
	case http.MethodPut:
		err = h.policies.put(bucket, body)
	case http.MethodDelete:
		err = h.policies.remove(bucket)
	default:
		writeS3Error(w, signature.APIError{Code: "NotImplemented", Description: "Not implemented", HTTPStatusCode: http.StatusNotImplemented})
		return
	}
	if err != nil {
		writeS3Error(w, signature.APIError{Code: "MalformedPolicy", Description: err.Error(), HTTPStatusCode: http.StatusBadRequest})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func writeS3Error(w http.ResponseWriter, e signature.APIError) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(e.HTTPStatusCode)
	_, _ = w.Write(signature.EncodeAPIErrorToResponse(e)) // a client that has gone away gets no answer
}
