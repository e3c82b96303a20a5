package notices

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"

	"banca/internal/receipts"
)

// Objects stores a picture and returns its public address: *storage.Objects.
type Objects interface {
	Put(ctx context.Context, key, contentType string, content []byte) (address string, err error)
}

// maxCaption is the longest text with a picture, in characters; a longer one is sent without.
const maxCaption = 1024

// addPicture draws and uploads the picture of a composed notice. A second run uploads the same one.
func (s *Service) addPicture(ctx context.Context, n *notice, draw func(ctx context.Context) ([]byte, error)) error {
	if utf8.RuneCountInString(n.Body) > maxCaption {
		return nil
	}
	picture, err := draw(ctx)
	if errors.Is(err, receipts.ErrTooLarge) {
		return nil // the text suffices
	}
	if err != nil {
		return err
	}
	if n.ImageURL, err = s.Objects.Put(ctx, s.pictureKey(n), "image/png", picture); err != nil {
		return fmt.Errorf("upload picture: %w", err)
	}
	return nil
}

// pictureKey returns the object key of a picture. The object is public, so the key contains a MAC and cannot be derived
// from the id.
func (s *Service) pictureKey(n *notice) string {
	mac := hmac.New(sha256.New, s.PictureSecret)
	mac.Write([]byte("picture of " + n.Kind + " " + n.About.String()))
	return "receipts/" + n.Kind + "-" + n.About.String() + "-" + hex.EncodeToString(mac.Sum(nil)[:16]) + ".png"
}
