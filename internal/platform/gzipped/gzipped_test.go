package gzipped

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAccepted(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "deflate , gzip": true, "gzip;q=0.001": true, "gzip ; q=1": true, "gzip;q=1.0": true,
		"": false, "gzip;q=0": false, "gzip; q=0.000": false, "gzip;Q=0.": false, "gzipped": false, "identity": false,
	} {
		assert.Equal(t, want, Accepted(value), value)
	}
	assert.True(t, Accepted("br", "gzip"))
	assert.False(t, Accepted())
}

func TestBytes(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("catalogue "), 1000)
	for _, level := range []int{Fast, Best} {
		compressed, err := Bytes(content, level)
		require.NoError(t, err)
		assert.Less(t, len(compressed), len(content)/20)
		r, err := gzip.NewReader(bytes.NewReader(compressed))
		require.NoError(t, err)
		read, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, content, read)
	}
	_, err := Bytes(content, 77)
	assert.Error(t, err)
}
