package catalog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"banca/internal/catalog"
	"banca/internal/platform/clock"
)

// halves is a picture whose left half is red and whose right half is blue.
func halves(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 255, A: 255}
			if x >= width/2 {
				c = color.NRGBA{B: 255, A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

// turned returns a JPEG whose EXIF data asks for a quarter turn clockwise.
func turned(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, img, &jpeg.Options{Quality: 100}))
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return append(append(append(out.Bytes()[:2:2], segment...), exif...), out.Bytes()[2:]...)
}

// claims returns a small PNG whose header gives large dimensions.
func claims(t testing.TB, width, height uint32) []byte {
	t.Helper()
	raw := asPNG(t, halves(2, 2))
	binary.BigEndian.PutUint32(raw[16:], width)
	binary.BigEndian.PutUint32(raw[20:], height)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

func TestLogos(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	row, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Logo: turned(t, halves(800, 400))})
	require.NoError(t, err)
	require.NotNil(t, row.LogoURL)
	name := catalog.PictureName(*row.LogoURL)
	require.NotEmpty(t, name)
	raw, kind, err := s.env.Objects.Get(ctx, "public/catalogue/"+name+"-256.png")
	require.NoError(t, err)
	require.Equal(t, "image/png", kind)
	img, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	require.Equal(t, image.Pt(128, 256), img.Bounds().Size(), "it was turned, and fits the square")
	r, _, b, _ := img.At(64, 20).RGBA()
	require.Greater(t, r, b, "what was left is above")
	small, err := s.SmallPicture(ctx, name)
	require.NoError(t, err)
	img, err = png.Decode(bytes.NewReader(small))
	require.NoError(t, err)
	require.Equal(t, image.Pt(32, 64), img.Bounds().Size())
	again, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Logo: turned(t, halves(800, 400))})
	require.NoError(t, err)
	require.Equal(t, *row.LogoURL, *again.LogoURL, "the same picture is there once")
	again, err = s.UpdateGame(ctx, s.game, &catalog.GameChange{NoLogo: true})
	require.NoError(t, err)
	require.Nil(t, again.LogoURL)
}

func TestHostilePictures(t *testing.T) {
	t.Parallel()
	s := stock(t)
	var gifFile, bmpFile, tiffFile bytes.Buffer
	require.NoError(t, gif.Encode(&gifFile, halves(4, 4), nil))
	require.NoError(t, bmp.Encode(&bmpFile, halves(4, 4)))
	require.NoError(t, tiff.Encode(&tiffFile, halves(4, 4), nil))
	before := s.state(t)
	good := asPNG(t, halves(40, 40))
	for _, tt := range []struct {
		name string
		raw  []byte
		err  error
	}{
		{"nothing", []byte{}, catalog.ErrPictureType},
		{"a renamed PDF", []byte("%PDF-1.4\nstartxref\n%%EOF"), catalog.ErrPictureType},
		{"SVG", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), catalog.ErrPictureType},
		{"GIF", gifFile.Bytes(), catalog.ErrPictureType},
		{"BMP", bmpFile.Bytes(), catalog.ErrPictureType},
		{"TIFF", tiffFile.Bytes(), catalog.ErrPictureType},
		{"cut short", good[:len(good)-30], catalog.ErrPictureBroken},
		{"only a beginning", good[:10], catalog.ErrPictureBroken},
		{"TIFF behind the sign of JPEG", append([]byte("\xff\xd8\xff"), tiffFile.Bytes()...), catalog.ErrPictureBroken},
		{"one side too long", claims(t, 8_001, 1), catalog.ErrPictureDimensions},
		{"a bomb", claims(t, 8_000, 8_000), catalog.ErrPictureDimensions},
		{"a very large bomb", claims(t, 1<<30, 1<<30), catalog.ErrPictureBroken},
		{"too many bytes", append(bytes.Clone(good), make([]byte, catalog.MaxPicture)...), catalog.ErrPictureTooLarge},
	} {
		_, err := s.UpdateGame(t.Context(), s.game, &catalog.GameChange{Logo: tt.raw})
		require.ErrorIs(t, err, tt.err, tt.name)
		_, err = s.SyncGame(t.Context(), s.game, &catalog.Sync{Grid: catalog.Grid{Elements: grid("05").Elements, Images: map[string][]byte{"05": tt.raw}}})
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, []string{"image_05"}, places(err), tt.name)
	}
	require.Equal(t, before, s.state(t))
}

// away is a store that does not answer.
type away struct{ catalog.Pictures }

func (away) Put(context.Context, string, string, []byte) (string, error) {
	return "", errors.New("dial 10.0.0.7")
}

func TestTheStoreOfPicturesIsUnavailable(t *testing.T) {
	t.Parallel()
	s := stock(t)
	before := s.state(t)
	for _, store := range []catalog.Pictures{nil, away{s.env.Objects}} {
		lame := catalog.New(s.env.PG, clock.System{}, catalog.Options{Pictures: store})
		_, err := lame.UpdateGame(t.Context(), s.game, &catalog.GameChange{Logo: asPNG(t, halves(8, 8))})
		require.ErrorIs(t, err, catalog.ErrPictureStore)
	}
	require.Equal(t, before, s.state(t))
}

// A picture that no game and no element names is swept once no running request can name it any more; the others stay.
func TestSweepPictures(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	row, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Logo: asPNG(t, halves(8, 8))})
	require.NoError(t, err)
	named := catalog.PictureName(*row.LogoURL)
	e, err := s.UpdateElement(ctx, s.game, "0", &catalog.ElementChange{Image: asPNG(t, halves(10, 8))})
	require.NoError(t, err)
	_, err = s.UpdateElement(ctx, s.game, "1", &catalog.ElementChange{Image: asPNG(t, halves(12, 8)), Position: new(-1)})
	require.ErrorIs(t, err, catalog.ErrInvalidGrid)
	left := func() (n int) {
		require.NoError(t, s.env.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM catalogue_pictures`).Scan(&n))
		keys, err := s.env.Objects.Keys(ctx, "public/catalogue/")
		require.NoError(t, err)
		require.Len(t, keys, 2*n)
		return n
	}
	require.Equal(t, 3, left())
	swept, err := s.SweepPictures(ctx)
	require.NoError(t, err)
	require.Zero(t, swept, "an upload may still be on its way")
	s.exec(t, `UPDATE catalogue_pictures SET since = since - $1::interval`, 2*time.Hour)
	swept, err = s.SweepPictures(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, swept)
	require.Equal(t, 2, left())
	for _, name := range []string{named, catalog.PictureName(*e.ImageURL)} {
		_, err = s.SmallPicture(ctx, name)
		require.NoError(t, err)
	}
	_, err = s.SmallPicture(ctx, "../../receipts/x")
	require.ErrorIs(t, err, catalog.ErrPictureNotFound)
}
