package sales

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"banca/internal/messaging"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
	"banca/tasks"
	"banca/tasks/outbox"
)

// errOutdated reports that a ticket was cancelled, or its buyer changed, while its picture was drawn.
var errOutdated = errors.New("sales: the ticket or its buyer was changed meanwhile")

// RenderReceipt is the handler of receipt.render: it draws the ticket in its current state, uploads the picture under
// the ticket's id, sets image_url once and, in the same transaction, queues the message to the buyer: the receipt, or that the
// ticket is cancelled. A second run uploads the same picture and queues nothing. Concurrent runs share their statements.
//
// The tasks of a sale and of its cancellation may run in any order. Each reads the ticket again after the upload, and
// draws it again if it was cancelled meanwhile, so that the last upload shows the ticket's final state.
func (s *Service) RenderReceipt(ctx context.Context, id uuid.UUID) error {
	defer s.toDraw.Expect()()
	defer s.drawn.Expect()()
	err := s.storePicture(ctx, id)
	if errors.Is(err, errOutdated) { // once: another change in between is left to the next run of the task
		err = s.storePicture(ctx, id)
	}
	return err
}

// storePicture draws and uploads the picture and stores its address. It returns errOutdated, and stores no address, if
// the ticket was cancelled or its buyer changed meanwhile.
func (s *Service) storePicture(ctx context.Context, id uuid.UUID) error {
	sold, err := s.toDraw.Do(ctx, id, id)
	if err != nil {
		return err
	}
	t := sold.ticket
	content, _, err := s.draw(ctx, t, receipts.FormatPNG)
	if err != nil {
		return err
	}
	p := &picture{ticket: t}
	if p.address, err = s.Objects.Put(ctx, s.pictureKey(t), "image/png", content); err != nil {
		return fmt.Errorf("upload receipt: %w", err)
	}
	if sold.buyer.Phone != "" {
		if p.message, p.payment, err = s.ticketMessage(ctx, t, sold.buyer, p.address); err != nil {
			return err
		}
		if err := p.message.Validate(); err != nil { // here, because an error of a group concerns all of it
			return err
		}
	}
	if _, err = s.drawn.Do(ctx, id, p); err == nil {
		s.Wake()
		s.publishUpdated(ctx, t, t.Status)
	}
	return err
}

// GetPictured returns a ticket as [Service.Get] does, to a client that may use its picture: the task that stores it is
// queued if the entity leaves pictures until then (picture_at_sale). It adds the results and what was won. Errors: as of Get.
func (s *Service) GetPictured(ctx context.Context, by caller.Caller, id uuid.UUID) (*Ticket, error) {
	t, err := s.loadInScope(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if err := s.askPicture(ctx, t); err != nil { // before the secrets are taken out, of which image_url is one
		return nil, err
	}
	if err := s.addOutcome(ctx, t); err != nil {
		return nil, err
	}
	return t, s.reveal(ctx, by, t)
}

// askPicture queues receipt.render for a ticket whose sale did not, once while the task waits or runs. A ticket whose
// prize can be collected no longer needs no picture, and may be in the archive.
func (s *Service) askPicture(ctx context.Context, t *Ticket) error {
	if t.ImageURL != "" || t.CustomerID != uuid.Nil || !s.Clock.Now().Before(t.ExpiresAt) {
		return nil
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil || chain.PictureAtSale() {
		return err
	}
	row, err := outbox.NewRow(tasks.ReceiptRender{TicketID: t.ID}, outbox.WithID(uuid.NewSHA1(t.ID, []byte("receipt.render"))))
	if err != nil {
		return err
	}
	if _, err := outbox.EnqueueOnce(ctx, s.PG.Pool, row); err != nil {
		return err
	}
	s.Wake()
	return nil
}

// picture is an uploaded picture of a ticket with its message.
type picture struct {
	ticket  *Ticket
	address string
	message *messaging.Outgoing // nil for none
	payment bool                // the buyer is told how to pay by bank
}

// pictureKey returns the object key of a ticket's picture. The object is readable without a login, so the key contains
// a MAC and cannot be derived from the ticket's id, which partners see. A ticket with a picture keeps its key.
func (s *Service) pictureKey(t *Ticket) string {
	if i := strings.LastIndex(t.ImageURL, picturePrefix); i >= 0 {
		return t.ImageURL[i:]
	}
	mac := hmac.New(sha256.New, s.Options.PictureSecret)
	mac.Write([]byte("receipt picture of " + t.ID.String()))
	return picturePrefix + t.ID.String() + "-" + hex.EncodeToString(mac.Sum(nil)[:16]) + ".png"
}

// picturePrefix is the folder of receipts in the object store.
const picturePrefix = "receipts/"
