package receipts

import "testing"

// The targets are for 40 bets: under 0.7 ms and 8 KB as one bit, under 6 ms as RGB.
func BenchmarkRenderPNG40(b *testing.B)    { benchmark(b, (*Renderer).RenderPNG) }
func BenchmarkRenderRGB40(b *testing.B)    { benchmark(b, (*Renderer).RenderRGB) }
func BenchmarkRenderRaster40(b *testing.B) { benchmark(b, (*Renderer).RenderRaster) }
func BenchmarkRenderESCPOS40(b *testing.B) { benchmark(b, (*Renderer).RenderESCPOS) }

func benchmark(b *testing.B, render func(*Renderer, Printable) ([]byte, error)) {
	b.Helper()
	r, d := newRenderer(b), fortyDoc()
	size := 0
	b.ReportAllocs()
	for b.Loop() {
		out, err := render(r, d)
		if err != nil {
			b.Fatal(err)
		}
		size = len(out)
	}
	b.ReportMetric(float64(size), "file-bytes")
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}
