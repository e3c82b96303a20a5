// Command manual makes the pictures of the documents and of README.md from the pictures that `make pictures` took:
// manual FROM TO.
package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/disintegration/imaging"
)

// Bounds of a picture of the manual, in pixels, and the colours of its palette.
const (
	taken   = 1000 // from the top of a page
	width   = 1080
	colours = 128
)

// pictures are the names in the manual by the names that TestPicturesOfTheManual gives them.
func pictures() map[string]string {
	return map[string]string{
		"manual-start": "start", "manual-board": "board", "manual-ticket": "ticket", "manual-payouts": "payouts", "manual-agency": "agency",
		"vender-composed": "counter",
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1) //nolint:forbidigo // the status of a command
	}
}

func run(args []string) error {
	if len(args) != 2 { //nolint:mnd // FROM and TO
		return errors.New("expected FROM and TO")
	}
	for page, name := range pictures() {
		if err := convert(filepath.Join(args[0], page+".es.light.png"), filepath.Join(args[1], name+".png")); err != nil {
			return err
		}
	}
	return product(args[0], filepath.Join(args[1], "product.png"))
}

// convert writes the top of a picture in few colours. A picture that was not taken stays as it is.
func convert(from, to string) error {
	whole, err := imaging.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	top := imaging.CropAnchor(whole, whole.Bounds().Dx(), taken, imaging.Top)
	return write(imaging.Resize(top, width, 0, imaging.CatmullRom), to)
}

// write writes a picture in few colours.
func write(picture *image.NRGBA, to string) (err error) {
	small := image.NewPaletted(picture.Rect, frequent(picture))
	draw.Draw(small, small.Rect, picture, image.Point{}, draw.Src)
	file, err := os.Create(to) //nolint:gosec // a path of the command line
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(file, small)
}

// frequent returns the most frequent colours of a picture that differ enough to be told apart.
func frequent(p *image.NRGBA) color.Palette {
	counts := map[color.NRGBA]int{}
	for i := 0; i < len(p.Pix); i += 4 {
		counts[color.NRGBA{p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3]}]++
	}
	all := make([]color.NRGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.NRGBA) int { return counts[b] - counts[a] })
	var chosen []color.Color
	for _, c := range all {
		near := func(o color.Color) bool { return distance(o, c) <= least }
		if len(chosen) < colours && !slices.ContainsFunc(chosen, near) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// least is the distance of two colours of a palette.
const least = 20 << 8

// distance returns the sum of the differences of red, green and blue, each up to 65,535.
func distance(a, b color.Color) int {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	abs := func(a, b uint32) int { return max(int(a)-int(b), int(b)-int(a)) }
	return abs(ar, br) + abs(ag, bg) + abs(ab, bb)
}
