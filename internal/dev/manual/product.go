package main

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"path/filepath"

	"github.com/disintegration/imaging"
)

// The picture of README.md, in pixels: the panel, in front of it the counter, and a receipt.
const (
	productWidth  = 1440
	productHeight = 944
	frameWidth    = 2
)

// layer is a picture in the picture of README.md.
type layer struct {
	file  string
	from  int // pixels from the top of the picture that are shown; 0 for all
	x, y  int
	width int
}

// layers are the pictures in their order, the farthest first.
func layers() []layer {
	return []layer{
		{"manual-start.es.light.png", taken, 24, 24, 980},
		{"vender-composed.es.light.png", 0, 236, 452, 830},
		{"receipt.es.png", 0, 1120, 60, 296},
	}
}

// product writes the picture of README.md. If one of its pictures was not taken it stays as it is.
func product(from, to string) error {
	ground, line := color.NRGBA{0xe8, 0xec, 0xf2, 0xff}, color.NRGBA{0xb8, 0xc0, 0xcc, 0xff}
	whole := imaging.New(productWidth, productHeight, ground)
	for _, l := range layers() {
		picture, err := imaging.Open(filepath.Join(from, l.file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if l.from > 0 {
			picture = imaging.CropAnchor(picture, picture.Bounds().Dx(), l.from, imaging.Top)
		}
		small := imaging.Resize(picture, l.width, 0, imaging.CatmullRom)
		at := small.Rect.Add(image.Pt(l.x, l.y))
		draw.Draw(whole, at.Inset(-frameWidth), image.NewUniform(line), image.Point{}, draw.Src)
		draw.Draw(whole, at, small, image.Point{}, draw.Over)
	}
	return write(whole, to)
}
