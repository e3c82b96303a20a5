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
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/pixels"
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

// Measure returns what the decoders of the standard library allocate: never less, and not much more.
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

// An unreadable file counts as the worst case, and a file that is not a picture has no size.
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

// Segments that change how image/jpeg decodes.
const (
	adobeRGB   = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	adobeYCC   = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x01"
	jfif       = "\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
	notJFIF    = "\xff\xe0\x00\x07NONE\x00"
	jpegStart  = 2
	jpegEnd    = 2
	frameStart = "\xff\xc0\x00\x11\x08"
	idsBehind  = len(frameStart) + 5 // offset of the first identifier of a component
)

// before puts a segment before the others of a JPEG, behind before its end.
func before(raw []byte, segment string) []byte {
	return append(append(bytes.Clone(raw[:jpegStart]), segment...), raw[jpegStart:]...)
}

func behind(raw []byte, segment string) []byte {
	at := len(raw) - jpegEnd
	return append(append(bytes.Clone(raw[:at]), segment...), raw[at:]...)
}

// namedRGB names the components of a baseline JPEG R, G and B, in its frame and in its scan.
func namedRGB(raw []byte) []byte {
	raw = bytes.Clone(raw)
	frame, scan := bytes.Index(raw, []byte(frameStart)), bytes.Index(raw, []byte("\xff\xda\x00\x0c\x03"))
	for i, name := range []byte("RGB") {
		raw[frame+idsBehind+3*i] = name
		raw[scan+5+2*i] = name
	}
	return raw
}

// interlace makes a PNG with the pixels of each pass behind one another: the same bytes read as passes, which are short of
// some, so that the decoder allocates everything and then fails.
func interlace(raw []byte) []byte {
	raw = bytes.Clone(raw)
	raw[28] = 1
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

// hostile are pictures that make their decoders allocate more than their first headers show.
func hostile(t testing.TB) map[string][]byte {
	t.Helper()
	square := image.Rect(0, 0, side, side)
	var ycc, gray, gray16, wide bytes.Buffer
	require.NoError(t, jpeg.Encode(&ycc, rgb(), nil))
	require.NoError(t, png.Encode(&gray, image.NewGray(square)))
	require.NoError(t, png.Encode(&gray16, image.NewGray16(square)))
	require.NoError(t, png.Encode(&wide, image.NewNRGBA64(square)))
	return map[string][]byte{
		"Adobe before the scan":                before(ycc.Bytes(), adobeRGB),
		"Adobe behind the scan":                behind(ycc.Bytes(), adobeRGB),
		"Adobe behind the scan, JFIF before":   behind(before(ycc.Bytes(), jfif), adobeRGB+notJFIF),
		"Adobe behind padding":                 behind(ycc.Bytes(), "\x00\xff\x00\xff\xff"+adobeRGB),
		"Adobe twice":                          behind(before(ycc.Bytes(), adobeYCC), adobeRGB),
		"Adobe behind a progressive scan":      behind(progressive(), adobeRGB),
		"named RGB":                            namedRGB(ycc.Bytes()),
		"named RGB, JFIF taken back":           behind(before(namedRGB(ycc.Bytes()), jfif), notJFIF),
		"named RGB, JFIF taken back before":    before(namedRGB(ycc.Bytes()), jfif+notJFIF),
		"gray with transparency":               withChunk(gray.Bytes(), "tRNS", 0, 0),
		"gray, 16 bits, with transparency":     withChunk(gray16.Bytes(), "tRNS", 0, 0),
		"gray with transparency, interlaced":   interlace(withChunk(gray.Bytes(), "tRNS", 0, 0)),
		"gray with transparency behind a text": withChunk(withChunk(gray.Bytes(), "tRNS", 0, 0), "tEXt", bytes.Repeat([]byte("IDAT"), 99)...),
		"16 bits, interlaced":                  interlace(wide.Bytes()),
	}
}

// decodingTakes returns the bytes that decoding a picture allocates.
func decodingTakes(raw []byte) (int64, error) {
	var earlier, later runtime.MemStats
	runtime.ReadMemStats(&earlier)
	_, _, err := image.Decode(bytes.NewReader(raw))
	runtime.ReadMemStats(&later)
	return int64(later.TotalAlloc - earlier.TotalAlloc), err
}

const decoderOwn = 256 << 10 // bytes of tables and buffers of a decoder

func TestMeasureOfHostilePictures(t *testing.T) { //nolint:paralleltest // the process's allocations are counted
	for name, raw := range hostile(t) {
		size, err := pixels.Measure(raw)
		require.NoError(t, err, name)
		allocated, err := decodingTakes(raw)
		if !strings.HasSuffix(name, "interlaced") {
			require.NoError(t, err, name)
		}
		assert.LessOrEqual(t, allocated, size.Bytes+decoderOwn, name)
		assert.GreaterOrEqual(t, size.Bytes, int64(4*side*side), name)
	}
}

// An ordinary photograph does not count as one whose channels are converted.
func TestMeasureOfAPhotograph(t *testing.T) {
	t.Parallel()
	size, err := pixels.Measure(before(asJPEG(t, rgb()), jfif))
	require.NoError(t, err)
	assert.EqualValues(t, 608*608*3/2, size.Bytes)
}

// Decoding never allocates more than Measure returns, whatever the picture holds.
func FuzzMeasure(f *testing.F) {
	f.Add(progressive())
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	for _, raw := range hostile(f) {
		f.Add(raw)
	}
	const pixelsMost = 4 << 20
	f.Fuzz(func(t *testing.T, raw []byte) {
		size, err := pixels.Measure(raw)
		if err != nil || int64(size.Width)*int64(size.Height) > pixelsMost {
			return
		}
		if size.Bytes < int64(size.Width)*int64(size.Height) {
			t.Errorf("%d x %d pixels in %d bytes", size.Width, size.Height, size.Bytes)
		}
		rows := int64(2*8*8) * int64(size.Width) // of image/png: two rows of each of eight passes
		if allocated, _ := decodingTakes(raw); allocated > size.Bytes+rows+int64(len(raw))+2*decoderOwn {
			t.Errorf("%d x %d pixels took %d bytes, measured %d", size.Width, size.Height, allocated, size.Bytes)
		}
	})
}
