package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"time"

	"github.com/disintegration/imaging"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/pixels"
)

// Bounds of a picture, and the sides of the squares it is fitted into.
const (
	MaxPicture = 5 << 20 // bytes

	maxSide    = 8_000 // pixels
	maxPixels  = 24_000_000
	largeSide  = 256
	smallSide  = 64
	pictureDir = "public/catalogue/"

	storeTimeout = 20 * time.Second // for the store to take or remove a file
	// unusedAge is how old a picture must be for the sweep: no request that may come to name it takes as long.
	unusedAge    = time.Hour
	pictureBatch = 200 // pictures a sweep removes at most
)

const picturePattern = `^[0-9a-f]{64}$`

// picture is a stored picture; the zero value means none.
type picture struct{ name, url string }

// resized is a picture in both sizes, as PNG.
type resized struct{ large, small []byte }

// resize determines the kind of a picture by its bytes alone, rotates it by its EXIF data, and fits it into the
// squares. Its output is encoded from the pixels: it holds nothing else of the file. Errors: ErrPictureTooLarge,
// ErrPictureType, ErrPictureBroken, ErrPictureDimensions, errors of pixels.Memory.
func (s *Service) resize(ctx context.Context, body []byte) (*resized, error) {
	if len(body) > MaxPicture {
		return nil, ErrPictureTooLarge
	}
	size, err := pixels.Measure(body)
	switch {
	case errors.Is(err, pixels.ErrFormat):
		return nil, ErrPictureType
	case err != nil:
		return nil, ErrPictureBroken.WithCause(err)
	case size.Width < 1, size.Height < 1, size.Width > maxSide, size.Height > maxSide, size.Width*size.Height > maxPixels:
		return nil, ErrPictureDimensions
	}
	release, err := s.options.Memory.Take(ctx, resizeBytes(&size))
	if err != nil {
		return nil, err
	}
	defer release()
	whole, err := imaging.Decode(bytes.NewReader(body), imaging.AutoOrientation(true))
	if err != nil {
		return nil, ErrPictureBroken.WithCause(err)
	}
	large := imaging.Fit(whole, largeSide, largeSide, imaging.Lanczos)
	r := &resized{}
	if r.large, err = encode(large); err != nil {
		return nil, err
	}
	r.small, err = encode(imaging.Fit(large, smallSide, smallSide, imaging.Lanczos))
	return r, err
}

// resizeBytes returns what resize takes at its peak: the decoded picture, a copy where a JPEG is turned, and the
// picture fitted in one direction.
func resizeBytes(size *pixels.Size) int64 {
	n := size.Bytes + int64(max(size.Width, size.Height))*largeSide*4
	if size.JPEG {
		n += size.RGBABytes()
	}
	return n
}

func encode(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}

// keepPicture stores a picture under a name derived from its content, so that equal pictures are stored once and none
// is overwritten. If no row names it in the end, the sweep removes it. Errors: errors of resize, ErrPictureStore.
func (s *Service) keepPicture(ctx context.Context, body []byte) (picture, error) {
	r, err := s.resize(ctx, body)
	if err != nil {
		return picture{}, err
	}
	if s.options.Pictures == nil {
		return picture{}, ErrPictureStore
	}
	digest := sha256.Sum256(r.large)
	p := picture{name: hex.EncodeToString(digest[:])}
	_, err = s.pg.Pool.Exec(ctx, `INSERT INTO catalogue_pictures (name, since) VALUES ($1, now()) ON CONFLICT (name) DO UPDATE SET since = now()`, p.name)
	if err != nil {
		return picture{}, fmt.Errorf("announce picture: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if _, err := s.options.Pictures.Put(ctx, smallKey(p.name), "image/png", r.small); err != nil {
		return picture{}, ErrPictureStore.WithCause(err)
	}
	if p.url, err = s.options.Pictures.Put(ctx, largeKey(p.name), "image/png", r.large); err != nil {
		return picture{}, ErrPictureStore.WithCause(err)
	}
	return p, nil
}

func largeKey(name string) string { return pictureDir + name + "-256.png" }
func smallKey(name string) string { return pictureDir + name + "-64.png" }

// PictureName returns the name of the picture at a public address, or "" for an address outside the store.
func PictureName(url string) string {
	_, file, _ := strings.Cut(url, pictureDir)
	name, _, _ := strings.Cut(file, "-")
	if ok, err := regexp.MatchString(picturePattern, name); !ok || err != nil {
		return ""
	}
	return name
}

// SmallPicture returns the small PNG of a picture, for pages that may load nothing from elsewhere. Errors:
// ErrPictureNotFound, ErrPictureStore.
func (s *Service) SmallPicture(ctx context.Context, name string) ([]byte, error) {
	if ok, err := regexp.MatchString(picturePattern, name); !ok || err != nil {
		return nil, ErrPictureNotFound
	}
	var known bool
	if err := s.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM catalogue_pictures WHERE name = $1)`, name).Scan(&known); err != nil {
		return nil, fmt.Errorf("find picture: %w", err)
	}
	if !known {
		return nil, ErrPictureNotFound
	}
	if s.options.Pictures == nil {
		return nil, ErrPictureStore
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	body, _, err := s.options.Pictures.Get(ctx, smallKey(name))
	if err != nil {
		return nil, ErrPictureStore.WithCause(err)
	}
	return body, nil
}

// errNoneUnused reports that no picture is unused, or that another process is removing it.
var errNoneUnused = errors.New("catalog: no unused picture")

// SweepPictures removes pictures that no game and no element names, and returns their number. It is idempotent.
func (s *Service) SweepPictures(ctx context.Context) (int, error) {
	if s.options.Pictures == nil {
		return 0, nil
	}
	for n := range pictureBatch {
		err := s.removeUnused(ctx)
		if errors.Is(err, errNoneUnused) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("sweep pictures: %w", err)
		}
	}
	return pictureBatch, nil
}

// removeUnused removes one picture. Its line is locked meanwhile, so that an upload of the same one comes before or
// after.
func (s *Service) removeUnused(ctx context.Context) error {
	return s.pg.InTx(ctx, func(tx pgx.Tx) error {
		var name string
		err := tx.QueryRow(ctx, `DELETE FROM catalogue_pictures WHERE name = (
			SELECT name FROM catalogue_pictures p WHERE since < now() - make_interval(secs => $1)
				AND NOT EXISTS (SELECT 1 FROM games WHERE logo_url LIKE '%/' || p.name || '-%')
				AND NOT EXISTS (SELECT 1 FROM game_elements WHERE image_url LIKE '%/' || p.name || '-%')
			ORDER BY since LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name`, unusedAge.Seconds()).Scan(&name)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoneUnused
		}
		if err != nil {
			return fmt.Errorf("take picture: %w", err)
		}
		return errors.Join(
			s.options.Pictures.Delete(ctx, largeKey(name)), s.options.Pictures.Delete(ctx, smallKey(name)),
		)
	})
}
