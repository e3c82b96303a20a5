package pixels_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/pixels"
)

const side = 600

func asPNG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

func asJPEG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, img, nil))
	return out.Bytes()
}

// withChunk puts a chunk behind the header of a PNG.
func withChunk(raw []byte, name string, data ...byte) []byte {
	const headerEnd = 33
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, name...), data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return append(append(append([]byte(nil), raw[:headerEnd]...), chunk...), raw[headerEnd:]...)
}

// rgb is an opaque picture, which PNG stores without alpha.
func rgb() image.Image {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return img
}

// progressive is a gray picture of 640 x 600 pixels as a progressive JPEG with 4:2:0 sampling, which image/jpeg cannot write:
// one scan of the means of all blocks, each of which is the one bit of its only Huffman code.
func progressive() []byte {
	raw := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	raw = append(raw, bytes.Repeat([]byte{1}, 64)...)
	raw = append(raw, "\xff\xc2\x00\x11\x08\x02\x58\x02\x80\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"...)
	raw = append(raw, "\xff\xc4\x00\x14\x00\x01"...)
	raw = append(raw, make([]byte, 16)...) // 15 lengths without codes, and the symbol
	raw = append(raw, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00"...)
	raw = append(raw, make([]byte, 40*38*6/8)...)
	return append(raw, "\xff\xd9"...)
}

// Measure says what decoding allocates, by the decoders of the standard library: never less, and not much more.
func TestMeasureIsWhatDecodingTakes(t *testing.T) { //nolint:paralleltest // the process's allocations are counted
	square := image.Rect(0, 0, side, side)
	translucent := image.NewNRGBA64(square)
	translucent.SetNRGBA64(0, 0, color.NRGBA64{A: 7})
	gray := asPNG(t, image.NewGray(square))
	for name, c := range map[string]struct {
		raw    []byte
		pixel  int64 // bytes
		pixels int64
	}{
		"gray":                    {gray, 1, side * side},
		"gray with transparency":  {withChunk(gray, "tRNS", 0, 0), 4, side * side},
		"gray, 16 bits":           {asPNG(t, image.NewGray16(square)), 2, side * side},
		"palette":                 {asPNG(t, image.NewPaletted(square, color.Palette{color.Black, color.White})), 1, side * side},
		"RGB":                     {asPNG(t, rgb()), 4, side * side},
		"RGBA":                    {asPNG(t, image.NewNRGBA(square)), 4, side * side},
		"RGBA, 16 bits":           {asPNG(t, translucent), 8, side * side},
		"JPEG, 4:2:0":             {asJPEG(t, rgb()), 0, 608 * 608 * 3 / 2},
		"JPEG, gray":              {asJPEG(t, image.NewGray(square)), 1, side * side},
		"JPEG, 4:2:0 progressive": {progressive(), 0, 640 * 608 * 3 / 2 * 5},
	} {
		size, err := pixels.Measure(c.raw)
		require.NoError(t, err, name)
		assert.Equal(t, max(c.pixel, 1)*c.pixels, size.Bytes, name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = image.Decode(bytes.NewReader(c.raw))
		runtime.ReadMemStats(&after)
		require.NoError(t, err, name)
		allocated := int64(after.TotalAlloc - before.TotalAlloc)
		const around = 256 << 10 // tables and buffers of the decoder
		assert.LessOrEqual(t, allocated, size.Bytes+around, name)
		assert.GreaterOrEqual(t, allocated+around, size.Bytes, name)
	}
}

// What cannot be read counts as the worst, and what is not a picture has no size.
func TestMeasureWithoutAFrame(t *testing.T) {
	t.Parallel()
	interlaced := asPNG(t, image.NewNRGBA(image.Rect(0, 0, 9, 9)))
	interlaced[28] = 1
	binary.BigEndian.PutUint32(interlaced[29:], crc32.ChecksumIEEE(interlaced[12:29]))
	size, err := pixels.Measure(interlaced)
	require.NoError(t, err)
	assert.EqualValues(t, 2*4*9*9, size.Bytes, "each pass has an image")

	adobe := asJPEG(t, rgb())
	adobe = append(append(adobe[:2:2], "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"...), adobe[2:]...)
	size, err = pixels.Measure(adobe)
	require.NoError(t, err)
	assert.EqualValues(t, 608*608*3/2+4*side*side, size.Bytes, "the channels are converted")
	assert.True(t, size.JPEG)
	assert.EqualValues(t, 4*side*side, size.RGBABytes())

	for _, raw := range []string{"", "%PDF-1.7", "GIF89a", "\x89PNG", "RIFF"} {
		_, err := pixels.Measure([]byte(raw))
		require.ErrorIs(t, err, pixels.ErrFormat, raw)
	}
	for _, raw := range []string{"\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "\x89PNG\r\n\x1a\nIHDR"} {
		_, err := pixels.Measure([]byte(raw))
		require.Error(t, err, raw)
		assert.NotErrorIs(t, err, pixels.ErrFormat, raw)
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(progressive())
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		size, err := pixels.Measure(raw)
		if err == nil && size.Bytes < int64(size.Width)*int64(size.Height) {
			t.Errorf("%d x %d pixels in %d bytes", size.Width, size.Height, size.Bytes)
		}
	})
}
