package months

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"banca/storage"
)

// ErrDamaged reports an object of the archive whose content differs from its manifest.
var ErrDamaged = errors.New("an object of the archive is not what was written")

// Store keeps the objects of the archive: *storage.Objects.
type Store interface {
	Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error)
	Get(ctx context.Context, key string) (body []byte, contentType string, err error)
}

// manifest lists the objects of a month. It is an object itself, whose hash month_archives keeps.
type manifest struct {
	Label  string    `json:"label"`
	Tables []*stored `json:"tables"`
}

// stored is a table in the archive, or the serial codes of the tickets.
type stored struct {
	Name   string  `json:"name"`
	Rows   int64   `json:"rows"`
	Chunks []chunk `json:"chunks"` // ordered by First
}

// chunk is an object: compressed lines of JSON, one a row, ordered by the table's key.
type chunk struct {
	Object string `json:"object"`
	First  string `json:"first"` // the key of the first row
	Last   string `json:"last"`
	Rows   int    `json:"rows"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"` // of the object, in hexadecimal
}

func (m *manifest) table(name string) *stored {
	for _, t := range m.Tables {
		if t.Name == name {
			return t
		}
	}
	return &stored{Name: name}
}

func (m *manifest) totals() (rows, size int64) {
	for _, t := range m.Tables {
		rows += t.Rows
		for i := range t.Chunks {
			size += int64(t.Chunks[i].Bytes)
		}
	}
	return rows, size
}

// holding returns the chunk that would hold a key.
func (t *stored) holding(key string) (chunk, bool) {
	i, found := slices.BinarySearchFunc(t.Chunks, key, func(c chunk, key string) int { return cmp.Compare(c.First, key) })
	if !found {
		i--
	}
	if i < 0 || t.Chunks[i].Last < key {
		return chunk{}, false
	}
	return t.Chunks[i], true
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// pack compresses rows.
func pack(rows [][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, row := range rows {
		if _, err := z.Write(append(row, '\n')); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// read returns an object whose hash must be sum.
func read(ctx context.Context, store Store, key, sum string) ([]byte, error) {
	body, _, err := store.Get(ctx, key)
	if errors.Is(err, storage.ErrObjectNotFound) {
		return nil, fmt.Errorf("%w: %s is missing", ErrDamaged, key)
	}
	if err != nil {
		return nil, err
	}
	if hashOf(body) != sum {
		return nil, fmt.Errorf("%w: %s has another hash", ErrDamaged, key)
	}
	return body, nil
}

// rows returns the rows of a chunk.
func (c *chunk) rows(ctx context.Context, store Store) ([][]byte, error) {
	body, err := read(ctx, store, c.Object, c.SHA256)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, c.Object, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, c.Object, err)
	}
	list := bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'})
	if len(list) != c.Rows {
		return nil, fmt.Errorf("%w: %s has %d rows of %d", ErrDamaged, c.Object, len(list), c.Rows)
	}
	return list, nil
}

// manifestOf reads the manifest of a month.
func manifestOf(ctx context.Context, store Store, key, sum string) (*manifest, error) {
	body, err := read(ctx, store, key, sum)
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, key, err)
	}
	return m, nil
}
