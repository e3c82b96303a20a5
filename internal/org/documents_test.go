package org_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

func pixels(side int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		m.Set(i%side, i/side, color.RGBA{uint8(rand.IntN(256)), uint8(rand.IntN(256)), uint8(i), 255})
	}
	return m
}

func pngOf(t testing.TB, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, pixels(side)))
	return out.Bytes()
}

func jpegOf(t testing.TB, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, pixels(side), nil))
	return out.Bytes()
}

const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\nxref\n0 1\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n"

// bomb returns a small PNG with a header of side by side pixels.
func bomb(side uint32) []byte {
	chunk := func(name string, data []byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		out = append(append(out, name...), data...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	}
	head := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side), 8, 6, 0, 0, 0)
	return append(append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)...), chunk("IEND", nil)...)
}

// read gets an address without any right.
func read(t testing.TB, url string) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, org.MaxDocument))
	require.NoError(t, err)
	return resp.StatusCode, body
}

func (tr *tree) attach(t testing.TB, id uuid.UUID, name string, body []byte) (*org.Document, error) {
	t.Helper()
	return tr.Attach(t.Context(), tr.scope(), &org.NewDocument{EntityID: id, Kind: models.DocumentTaxID, Name: name, Content: body})
}

// requireRows wants that many documents and leftovers.
func (tr *tree) requireRows(t testing.TB, documents, leftovers int, why string) {
	t.Helper()
	var d, l int
	require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM entity_documents), (SELECT count(*) FROM document_leftovers)`).Scan(&d, &l))
	require.Equal(t, []int{documents, leftovers}, []int{d, l}, why)
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	picture, photo := pngOf(t, 40), jpegOf(t, 50)
	for _, tt := range []struct {
		name, want, kind string
		body, kept       []byte
		side             int
	}{
		{`C:\fotos\..\Cédula.exe`, "Cédula.png", "image/png", picture, picture, 40},
		{"../../\x00\u202e", "tax_id.jpg", "image/jpeg", append(bytes.Clone(photo), "SEFH telephone's own"...), photo, 50},
		{strings.Repeat("ñ", 300) + ".pdf", strings.Repeat("ñ", 100) + ".pdf", "application/pdf", []byte(pdf), []byte(strings.TrimSpace(pdf)), 0},
	} {
		d, err := tr.attach(t, e.ID, tt.name, tt.body)
		require.NoError(t, err, tt.name)
		assert.Equal(t, []any{tt.want, tt.kind, len(tt.kept), tt.side, tt.side}, []any{d.Name, d.ContentType, d.Size, d.Width, d.Height})
		status, body := read(t, d.URL)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, tt.kept, body, "what stands behind the end is not kept")
		bare, _, _ := strings.Cut(d.URL, "?")
		status, _ = read(t, bare)
		assert.Equal(t, http.StatusForbidden, status, "not without the signature")
		assert.WithinDuration(t, time.Now().Add(5*time.Minute), d.ExpiresAt, 10*time.Second)
		assert.Contains(t, d.URL, "X-Amz-Expires=300")
	}
	tr.requireRows(t, 3, 0, "")
	list, err := tr.Documents(t.Context(), tr.scope(), e.ID)
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, "Cédula.png", list[2].Name, "newest first")

	_, err = tr.attach(t, e.ID, "again.png", picture)
	require.ErrorIs(t, err, org.ErrDocumentExists)
	for _, by := range []caller.Caller{{}, testkit.Operator(uuid.New())} {
		_, err = tr.Documents(t.Context(), by, e.ID)
		require.ErrorIs(t, err, org.ErrEntityNotFound)
		require.ErrorIs(t, tr.Detach(t.Context(), by, org.DocumentRef{EntityID: e.ID, ID: list[0].ID}), org.ErrEntityNotFound)
		_, err = tr.Attach(t.Context(), by, &org.NewDocument{EntityID: e.ID, Kind: models.DocumentOther, Content: picture})
		require.ErrorIs(t, err, org.ErrEntityNotFound)
	}
	require.ErrorIs(t, tr.Detach(t.Context(), tr.scope(), org.DocumentRef{EntityID: tr.ids[0], ID: list[0].ID}), org.ErrDocumentNotFound, "of another entity")
	require.NoError(t, tr.Detach(t.Context(), tr.scope(), org.DocumentRef{EntityID: e.ID, ID: list[0].ID}))
	require.ErrorIs(t, tr.Detach(t.Context(), tr.scope(), org.DocumentRef{EntityID: e.ID, ID: list[0].ID}), org.ErrDocumentNotFound)
	status, _ := read(t, list[0].URL)
	assert.Equal(t, http.StatusNotFound, status, "the address outlives the file, and leads to nothing")
	tr.requireRows(t, 2, 0, "")

	require.NoError(t, tr.Delete(t.Context(), tr.scope(), e.ID))
	tr.requireRows(t, 0, 2, "documents go with their entity")
	n, err := tr.SweepDocuments(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	tr.requireRows(t, 0, 0, "and their files with the sweep")
	status, _ = read(t, list[1].URL)
	assert.Equal(t, http.StatusNotFound, status)
}

func TestADocumentHasTheTypeOfItsContent(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	picture, photo := pngOf(t, 40), jpegOf(t, 50)
	damaged := bytes.Clone(picture)
	damaged[len(damaged)/2] ^= 0xff
	for name, tt := range map[string]struct {
		body []byte
		want error
	}{
		"nothing":              {nil, org.ErrDocumentType},
		"a page":               {[]byte("<html><script>alert(1)</script>"), org.ErrDocumentType},
		"a GIF":                {[]byte("GIF89a\x01\x00\x01\x00"), org.ErrDocumentType},
		"an SVG":               {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), org.ErrDocumentType},
		"a PDF behind a page":  {[]byte("<html>" + pdf), org.ErrDocumentType},
		"too large":            {append(bytes.Clone(picture), make([]byte, org.MaxDocument)...), org.ErrDocumentTooLarge},
		"a bomb":               {bomb(12_001), org.ErrDocumentDimensions},
		"a square bomb":        {bomb(6_000), org.ErrDocumentDimensions},
		"a bomb of 2^31":       {bomb(1 << 31), org.ErrDocumentBroken},
		"a signature only":     {[]byte("\x89PNG\r\n\x1a\n"), org.ErrDocumentBroken},
		"a head only":          {bomb(10), org.ErrDocumentBroken},
		"a PNG cut short":      {picture[:len(picture)-20], org.ErrDocumentBroken},
		"a damaged PNG":        {damaged, org.ErrDocumentBroken},
		"a JPEG cut short":     {photo[:len(photo)/2], org.ErrDocumentBroken},
		"a JPEG without end":   {photo[:len(photo)-2], org.ErrDocumentBroken},
		"a PDF cut short":      {[]byte(pdf[:60]), org.ErrDocumentBroken},
		"a PDF without end":    {[]byte("%PDF-1.4\nstartxref\n"), org.ErrDocumentBroken},
		"PNG and archive":      {append(bytes.Clone(picture), "PK\x03\x04 archive"...), org.ErrDocumentMixed},
		"JPEG and page":        {append(bytes.Clone(photo), "<ScRipt>"...), org.ErrDocumentMixed},
		"JPEG and PDF":         {append(bytes.Clone(photo), pdf...), org.ErrDocumentMixed},
		"PDF and archive":      {[]byte(pdf + "PK\x05\x06"), org.ErrDocumentMixed},
		"PDF around archive":   {[]byte(strings.Replace(pdf, "xref\n", "PK\x05\x06xref\n", 1)), org.ErrDocumentMixed},
		"PDF and something":    {[]byte(pdf + "#!/bin/sh"), org.ErrDocumentMixed},
		"PNG that is cut, JPG": {append(picture[:100:100], photo...), org.ErrDocumentBroken},
	} {
		_, err := tr.attach(t, e.ID, "a.png", tt.body)
		require.ErrorIs(t, err, tt.want, name)
	}
	_, err := tr.Attach(t.Context(), tr.scope(), &org.NewDocument{EntityID: e.ID, Kind: "passport", Content: picture})
	requireRefused(t, err, org.ErrInvalidDocument, "kind", "")
	tr.requireRows(t, 0, 0, "nothing is stored, and nothing was sent to the store")
	for i := range photo {
		_, _ = tr.attach(t, uuid.New(), "", photo[:i]) // no prefix of a file causes a panic
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(pdf))
	f.Add(bomb(4))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\xff\xd9"))
	s := org.New(nil, org.Options{})
	f.Fuzz(func(_ *testing.T, body []byte) { _ = org.Examine(s, body) })
}

// faulty is a store with a fault.
type faulty struct {
	*storage.Objects
	put    func() error // before the object is put
	stored func() error // after it was
	gone   error        // of deletions
}

func (f *faulty) Put(ctx context.Context, key, contentType string, body []byte) (string, error) {
	if f.put != nil {
		if err := f.put(); err != nil {
			return "", err
		}
	}
	address, err := f.Objects.Put(ctx, key, contentType, body)
	if err == nil && f.stored != nil {
		err = f.stored()
	}
	return address, err
}

func (f *faulty) Delete(ctx context.Context, key string) error {
	if f.gone != nil {
		return f.gone
	}
	return f.Objects.Delete(ctx, key)
}

var errAway = errors.New("away")

// Whatever fails between file and row: no row names an absent file, and no file is lost.
func TestAFailedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	away := func() error { return errAway }
	store := &faulty{Objects: tr.env.Private}
	tr.Service = org.New(tr.env.PG.Gorm, org.Options{Documents: store})
	body := pngOf(t, 30)
	age := func() { tr.exec(t, `UPDATE document_leftovers SET since = now() - interval '16 minutes'`) }
	sweep := func(want int, why string) {
		n, err := tr.SweepDocuments(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n, why)
	}
	store.put = away
	_, err := tr.attach(t, e.ID, "a.png", body)
	require.ErrorIs(t, err, org.ErrDocumentStore)
	tr.requireRows(t, 0, 1, "the store is away")
	sweep(0, "an upload may be under way")
	age()
	sweep(1, "it is not any more")

	store.put, store.stored = nil, away
	_, err = tr.attach(t, e.ID, "a.png", body)
	require.ErrorIs(t, err, org.ErrDocumentStore)
	tr.requireRows(t, 0, 1, "the store's answer was lost")
	require.Equal(t, 1, tr.stored(t, e.ID))
	age()
	store.gone = errAway
	_, err = tr.SweepDocuments(t.Context())
	require.ErrorIs(t, err, errAway)
	tr.requireRows(t, 0, 1, "what could not be removed is not forgotten")
	store.gone = nil
	sweep(1, "")
	require.Zero(t, tr.stored(t, e.ID))

	store.stored = func() error { age(); sweep(1, "an upload that lasted for ever"); return nil }
	_, err = tr.attach(t, e.ID, "a.png", body)
	require.ErrorIs(t, err, org.ErrDocumentStore)
	tr.requireRows(t, 0, 0, "a swept file gets no row")

	store.stored = func() error { return tr.Delete(t.Context(), tr.scope(), e.ID) }
	_, err = tr.attach(t, e.ID, "a.png", body)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	tr.requireRows(t, 0, 0, "the entity was deleted meanwhile")
	require.Zero(t, tr.stored(t, e.ID))

	e = tr.add(t, tr.ids[0], models.EntityAgency, "AGE2", `{}`)
	store.stored = nil
	d, err := tr.attach(t, e.ID, "a.png", body)
	require.NoError(t, err)
	store.gone = errAway
	require.NoError(t, tr.Detach(t.Context(), tr.scope(), org.DocumentRef{EntityID: e.ID, ID: d.ID}), "a document can be removed while the store is away")
	tr.requireRows(t, 0, 1, "")
	store.gone = nil
	sweep(1, "what was removed need not wait")
	require.Zero(t, tr.stored(t, e.ID))

	tr.Service = org.New(tr.env.PG.Gorm, org.Options{})
	_, err = tr.attach(t, e.ID, "a.png", body)
	require.ErrorIs(t, err, org.ErrDocumentStore, "no store at all")
}

// stored counts the objects of an entity.
func (tr *tree) stored(t testing.TB, id uuid.UUID) int {
	t.Helper()
	keys, err := tr.env.Private.Keys(t.Context(), "entities/"+id.String()+"/")
	require.NoError(t, err)
	return len(keys)
}

func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	var wait sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range org.MaxDocuments + 6 {
		body := pngOf(t, 12)
		wait.Go(func() {
			if _, err := tr.attach(t, e.ID, "a.png", body); err != nil {
				assert.ErrorIs(t, err, org.ErrDocumentLimit)
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	same := pngOf(t, 13)
	other := tr.add(t, tr.ids[0], models.EntityAgency, "OTH", `{}`)
	made := 0
	for range 5 {
		wait.Go(func() {
			_, err := tr.attach(t, other.ID, "a.png", same)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
				return
			}
			assert.ErrorIs(t, err, org.ErrDocumentExists)
		})
	}
	wait.Wait()
	assert.Equal(t, []int{6, 1}, []int{refused, made})
	tr.requireRows(t, org.MaxDocuments+1, 0, "")
	assert.Equal(t, org.MaxDocuments, tr.stored(t, e.ID), "no file without its row")
	assert.Equal(t, 1, tr.stored(t, other.ID))
}

// A logo is a small picture, and the nearest one above an entity is its own.
func TestLogos(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	attach := func(id uuid.UUID, body []byte) error {
		_, err := tr.Attach(t.Context(), tr.scope(), &org.NewDocument{EntityID: id, Kind: models.DocumentLogo, Name: "logo", Content: body})
		return err
	}
	logo := func(id uuid.UUID) string {
		tr.Forget()
		chain, err := tr.Chain(t.Context(), id)
		require.NoError(t, err)
		return chain.Printing().Logo
	}
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	for _, body := range [][]byte{[]byte(pdf), pngOf(t, 400), jpegOf(t, 2_001)} {
		require.ErrorIs(t, attach(e.ID, body), org.ErrLogo)
	}
	tr.requireRows(t, 0, 0, "refused before the upload")
	require.Empty(t, logo(e.ID))
	require.NoError(t, attach(tr.ids[0], pngOf(t, 30)))
	inherited := logo(e.ID)
	require.Equal(t, logo(tr.ids[0]), inherited)
	body, err := tr.Logo(t.Context(), inherited)
	require.NoError(t, err)
	require.NotEmpty(t, body)
	require.NoError(t, attach(e.ID, jpegOf(t, 40)))
	require.NotEqual(t, inherited, logo(e.ID))
	_, err = tr.Logo(t.Context(), "entities/none")
	require.ErrorIs(t, err, org.ErrDocumentStore)
}

// An unreachable store is a refusal within seconds, and nothing is changed.
func TestTheStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	away, err := storage.NewObjects(storage.ObjectsOptions{Endpoint: "http://127.0.0.1:1", AccessKey: "k", SecretKey: "s", Bucket: "b", Private: true})
	require.NoError(t, err)
	defer away.Close()
	tr.Service = org.New(tr.env.PG.Gorm, org.Options{Documents: away})
	begin := time.Now()
	_, err = tr.attach(t, e.ID, "a.png", pngOf(t, 10))
	require.ErrorIs(t, err, org.ErrDocumentStore)
	assert.Less(t, time.Since(begin), testkit.WaitTimeout/2)
	tr.requireRows(t, 0, 1, "the sweep looks after it")
	list, err := tr.Documents(t.Context(), tr.scope(), e.ID)
	require.NoError(t, err)
	assert.Empty(t, list)
}
