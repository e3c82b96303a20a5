package org

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/org"
)

// FuzzReadDocument: a form that is taken has a short kind and a file within its bound, whatever its boundary and its parts are.
func FuzzReadDocument(f *testing.F) {
	const kind, file = "--b\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nrif\r\n", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.7\r\n"
	for _, body := range []string{"", kind + file + "--b--\r\n", kind + kind + file + "--b--\r\n", file + "--b--", kind + file, "--b\r\n\r\n--b--"} {
		f.Add("multipart/form-data; boundary=b", body)
	}
	f.Add("multipart/form-data", "")
	f.Add("text/plain", "x")
	f.Fuzz(func(t *testing.T, contentType, body string) {
		var document org.NewDocument
		if err := readDocument(contentType, []byte(body), &document); err != nil {
			return
		}
		require.LessOrEqual(t, len(document.Kind), maxKind)
		require.LessOrEqual(t, len(document.Content), len(body))
		require.Contains(t, strings.ToLower(contentType), "boundary")
	})
}
