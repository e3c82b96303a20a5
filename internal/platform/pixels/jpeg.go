package pixels

import (
	"bytes"
	"image"
)

// Markers of a JPEG file, as image/jpeg reads them.
const (
	markerSOF0 = 0xc0 // baseline
	markerSOF2 = 0xc2 // progressive
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerEOI  = 0xd9
	markerSOS  = 0xda

	blockSide       = 8
	coefficientSize = 4 // bytes; image/jpeg keeps every coefficient of a progressive picture
	channelsMost    = 4
	frameHeader     = 6 // precision, height, width, number of components
	componentSize   = 3
	ratioMost       = 4 // of a sampling factor
)

// Names by which image/jpeg recognises channels that are not YCbCr: the Adobe segment, which it accepts
// anywhere in the file, also behind the last scan, and the identifiers of the components, which count unless the last
// APP0 segment is JFIF.
const (
	adobeName = "Adobe"
	rgbNames  = "RGB"
)

// frame is what decides how much memory a JPEG takes.
type frame struct {
	progressive bool
	names       []byte     // identifiers of the components, a byte each
	factors     [][2]int64 // horizontal and vertical sampling of each component; nil where no frame was found
}

// jpegBytes returns what image/jpeg allocates for the pixels: the samples, the coefficients of a progressive picture,
// and the copy in which channels of other kinds are converted. A file without a readable frame counts as the worst.
func jpegBytes(body []byte, config *image.Config) int64 {
	f := readFrame(body)
	if f.factors == nil {
		f.progressive = true
		f.factors = [][2]int64{{1, 1}, {1, 1}, {1, 1}, {1, 1}}
	}
	samples := f.samples(int64(config.Width), int64(config.Height))
	n := samples
	if f.progressive {
		n += coefficientSize * samples
	}
	if len(f.factors) == channelsMost || string(f.names) == rgbNames || len(f.factors) > 1 && bytes.Contains(body, []byte(adobeName)) {
		n += rgba * int64(config.Width) * int64(config.Height)
	}
	return n
}

// samples counts the samples of all components, in whole blocks.
func (f *frame) samples(width, height int64) int64 {
	if len(f.factors) == 1 {
		return up(width, blockSide) * up(height, blockSide)
	}
	var most [2]int64
	for _, c := range f.factors {
		most[0], most[1] = max(most[0], c[0]), max(most[1], c[1])
	}
	across, down := up(width, blockSide*most[0])/most[0], up(height, blockSide*most[1])/most[1]
	var n int64
	for _, c := range f.factors {
		n += across * c[0] * down * c[1]
	}
	return n
}

// up rounds n up to a multiple of step.
func up(n, step int64) int64 { return (n + step - 1) / step * step }

// readFrame reads the segments before the first scan, in the way in which image/jpeg reads them.
func readFrame(body []byte) frame {
	var f frame
	for at := 2; at+1 < len(body); {
		marker := body[at+1]
		switch {
		case body[at] != 0xff: // image/jpeg skips bytes between segments
			at++
			continue
		case marker == 0xff: // padding
			at++
			continue
		case marker == 0, marker >= markerRST0 && marker <= markerRST7:
			at += 2
			continue
		case marker == markerEOI, marker == markerSOS, at+4 > len(body):
			return f
		}
		length := int(body[at+2])<<8 | int(body[at+3])
		segment := body[min(at+4, len(body)):min(at+2+max(length, 2), len(body))]
		if marker >= markerSOF0 && marker <= markerSOF2 {
			f.progressive = marker == markerSOF2
			f.names, f.factors = components(segment)
		}
		at += 2 + max(length, 2)
	}
	return f
}

// components reads the identifiers and the sampling factors of a frame; nil where it cannot be read.
func components(segment []byte) (names []byte, factors [][2]int64) {
	if len(segment) < frameHeader {
		return nil, nil
	}
	n := int(segment[frameHeader-1])
	if n < 1 || n > channelsMost || len(segment) < frameHeader+componentSize*n {
		return nil, nil
	}
	factors = make([][2]int64, n)
	for i := range factors {
		at := frameHeader + componentSize*i
		h, v := int64(segment[at+1]>>4), int64(segment[at+1]&0xf)
		if h < 1 || h > ratioMost || v < 1 || v > ratioMost {
			return nil, nil
		}
		names = append(names, segment[at])
		factors[i] = [2]int64{h, v}
	}
	return names, factors
}
