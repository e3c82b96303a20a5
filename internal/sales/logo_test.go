package sales_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/receipts"
	"banca/models"
)

// logoOf is a PNG with a circle.
func logoOf(t testing.TB, side int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 2*side, side))
	for y := range side {
		for x := range 2 * side {
			if dx, dy := x-side, 2*y-side; dx*dx+dy*dy > side*side {
				picture.Set(x, y, color.White)
			}
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, picture))
	return out.Bytes()
}

// failing is a bucket whose objects cannot be read.
type failing struct {
	org.Bucket

	asked int
}

func (f *failing) Get(context.Context, string) (body []byte, contentType string, err error) {
	f.asked++
	return nil, "", errors.New("unreachable")
}

// The newest logo of an entity stands above the receipts of the entities below it and on their public pages, until it is
// removed. A receipt is drawn without it while the object store does not answer.
func TestTheLogoOfReceipts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	use := func(documents org.Bucket) {
		b.Org = org.New(b.PG.Gorm, org.Options{Documents: documents})
		b.Service.Org = b.Org
	}
	use(b.Env.Private)
	id := b.buy(t)
	serial := b.text(t, `SELECT serial_code FROM tickets WHERE id = $1`, id)
	look := func() (height int, shown []byte) {
		b.Org.Forget()
		drawn, _, err := b.Receipt(t.Context(), viewer(), id, receipts.FormatPNG)
		require.NoError(t, err)
		size, err := png.DecodeConfig(bytes.NewReader(drawn))
		require.NoError(t, err)
		public, err := b.PublicOf(t.Context(), serial)
		require.NoError(t, err)
		return size.Height, public.Logo
	}
	attach := func(side int) *org.Document {
		d, err := b.Org.Attach(t.Context(), viewer(), &org.NewDocument{EntityID: fixture.RootID, Kind: models.DocumentLogo, Name: "logo.png", Content: logoOf(t, side)})
		require.NoError(t, err)
		return d
	}
	plain, shown := look()
	require.Nil(t, shown)
	first := attach(40)
	height, shown := look()
	require.Equal(t, plain+40+8, height)
	size, err := png.DecodeConfig(bytes.NewReader(shown))
	require.NoError(t, err)
	require.Equal(t, []int{80, 40}, []int{size.Width, size.Height})
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	b.requirePicture(t, id, 1, 0)

	second := attach(60)
	height, _ = look()
	require.Equal(t, plain+60+8, height, "the newest")
	require.NoError(t, b.Org.Detach(t.Context(), viewer(), org.DocumentRef{EntityID: fixture.RootID, ID: second.ID}))
	height, _ = look()
	require.Equal(t, plain+40+8, height)
	require.NoError(t, b.Org.Detach(t.Context(), viewer(), org.DocumentRef{EntityID: fixture.RootID, ID: first.ID}))
	height, shown = look()
	require.Equal(t, plain, height)
	require.Nil(t, shown)

	attach(50)
	away := &failing{Bucket: b.Env.Private}
	use(away)
	height, shown = look()
	require.Equal(t, plain, height)
	require.Nil(t, shown)
	require.Equal(t, 1, away.asked, "the receipt and the page do not wait one after the other")
}
