package bank

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/apperr"
	"banca/internal/caller"
	"banca/internal/iddoc"
	"banca/internal/idempotency"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/phone"
	"banca/models"
	"banca/storage"
)

// NewRequest announces a payment. Without a client the entity tops up its own wallet.
type NewRequest struct {
	EntityID       uuid.UUID // whose wallet is to be credited
	Amount         string    // decimal
	Currency       string    // id or code; "" is the bank's
	ClientID       string    // identity document of the payer
	ClientPhone    string
	Reference      string // of the payment, when it is made already
	Bank           string // code of the bank that it comes from
	ExpiresIn      time.Duration
	Note           string
	IdempotencyKey string
}

// Request is an announced payment.
type Request struct {
	ID          uuid.UUID
	Origin      string
	EntityID    uuid.UUID
	WalletID    uuid.UUID
	Currency    ledger.Currency
	TicketID    uuid.UUID // Nil when none
	ClientID    string
	ClientPhone string
	Amount      money.Amount
	Reference   string
	Bank        string
	Status      string
	HeldUntil   time.Time // zero when the bank has not asked
	PaymentID   uuid.UUID // Nil while unpaid
	ExpiresAt   time.Time
	ClosedAt    time.Time
	Note        string
	CreatedAt   time.Time
	PayTo       org.MobilePayment // where to pay; empty where the entity has no such account
}

// Bounds of a request.
const (
	maxExpiry = 30 * 24 * time.Hour
	minExpiry = time.Minute
	maxNote   = 200 // characters
)

// CreateRequest announces a payment into the wallet of an entity of the caller's subtree. A repeat of an
// idempotency key gets the first one. Errors: ErrInvalidRequest, org.ErrEntityNotFound, idempotency.ErrKeyReused.
func (s *Service) CreateRequest(ctx context.Context, by caller.Caller, n *NewRequest) (r *Request, replayed bool, err error) {
	key, err := idempotency.KeyOf(by.EntityID, n.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	chain, err := s.Org.Chain(ctx, n.EntityID)
	switch {
	case err != nil:
		return nil, false, err
	case !by.Scope.Contains(chain.Path()):
		return nil, false, org.ErrEntityNotFound
	}
	if first, err := s.requestBefore(ctx, key, n); first != nil || err != nil {
		return first, true, err
	}
	row, err := s.requestRow(ctx, by, n, chain)
	if err != nil {
		return nil, false, err
	}
	if key != uuid.Nil {
		meaning := n.meaning()
		row.IdempotencyKey, row.RequestHash = &key, meaning[:]
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error { return insertRequest(ctx, tx, row) })
	if storage.Violates(err, "payment_requests_key") { // an equal request committed in between
		r, err = s.requestBefore(ctx, key, n)
		return r, true, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("create payment request: %w", err)
	}
	r, err = s.requestOf(ctx, row)
	return r, false, err
}

// meaning is the meaning of a request: its fields in normal form, as the caller sent them. The data of the entity,
// which may change between a request and its repeat, is not part of it. requestBefore compares the currency.
func (n *NewRequest) meaning() idempotency.Meaning {
	client, number, bank := n.ClientID, n.ClientPhone, n.Bank
	if id, err := iddoc.Parse(client); err == nil {
		client = id.String()
	}
	if normal, err := phone.Normalise(number); err == nil {
		number = normal
	}
	if code, err := ParseBankCode(bank); err == nil {
		bank = code
	}
	return idempotency.Of("payment request", n.EntityID.String(), idempotency.Decimal(n.Amount), client, number, n.Reference, bank,
		n.ExpiresIn.String(), strings.TrimSpace(n.Note))
}

// requestBefore returns the request that a key made, nil if the key is unused. Errors: idempotency.ErrKeyReused.
func (s *Service) requestBefore(ctx context.Context, key uuid.UUID, n *NewRequest) (*Request, error) {
	if key == uuid.Nil {
		return nil, nil //nolint:nilnil // no key, no repeat
	}
	var row models.PaymentRequest
	err := s.PG.Gorm.WithContext(ctx).Where("idempotency_key = ?", key).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // the key is unused
	}
	if err != nil {
		return nil, fmt.Errorf("find payment request: %w", err)
	}
	if err := idempotency.Compare(row.RequestHash, n.meaning()); err != nil {
		return nil, err
	}
	if n.Currency != "" { // else the bank's, which the row has
		c, err := s.Ledger.CurrencyEver(ctx, n.Currency)
		switch {
		case errors.Is(err, ledger.ErrCurrencyNotFound), err == nil && c.ID != row.CurrencyID:
			return nil, idempotency.ErrKeyReused
		case err != nil:
			return nil, err
		}
	}
	return s.requestOf(ctx, &row)
}

// requestRow checks an announcement and makes its row; all refusals are named together.
func (s *Service) requestRow(ctx context.Context, by caller.Caller, n *NewRequest, chain org.Chain) (*models.PaymentRequest, error) {
	if !chain.Active() {
		return nil, org.ErrCannotSell
	}
	d, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	row := &models.PaymentRequest{
		ID: uuid.Must(uuid.NewV7()), Origin: models.OriginManual, EntityID: n.EntityID, CurrencyID: d.currency.ID, Status: models.RequestOpen,
		ExpiresAt: now.Add(s.Options.RequestExpiry), CreatedBy: optional(by.UserID), Note: strings.TrimSpace(n.Note), CreatedAt: now,
	}
	details := s.fill(ctx, row, n, d)
	if n.ClientID == "" && len(details) == 0 {
		details, err = s.fillOwn(ctx, row, chain, d)
		if err != nil {
			return nil, err
		}
	}
	if len(details) > 0 {
		return nil, ErrInvalidRequest.WithDetails(details...)
	}
	wallets, err := s.Ledger.MainWallets(ctx, d.currency.ID, n.EntityID)
	if err != nil {
		return nil, err
	}
	row.WalletID = wallets[0]
	return row, nil
}

// fill parses the fields of a request into its row and names invalid ones.
func (s *Service) fill(ctx context.Context, row *models.PaymentRequest, n *NewRequest, d *directory) (details []apperr.Detail) {
	refuse := func(location, message string) {
		details = append(details, apperr.Detail{Location: location, Message: message})
	}
	amount, err := money.Parse(n.Amount, d.currency.Digits)
	if row.Amount = int64(amount); err != nil || len(strings.Split(n.Amount, ".")[0]) > maxWholeDigits {
		refuse("amount", money.ErrAmount.Message)
	}
	if n.Currency != "" {
		if c, err := s.Ledger.Currency(ctx, n.Currency); err != nil || c.ID != d.currency.ID {
			refuse("currency", "the bank pays in "+d.currency.Code)
		}
	}
	if n.ClientID != "" {
		id, err := iddoc.Parse(n.ClientID)
		if row.ClientLetter, row.ClientNumber = id.Letter, id.Number; err != nil {
			refuse("client_id", iddoc.ErrInvalid.Message)
		}
	}
	if n.ClientPhone != "" {
		number, err := phone.Normalise(n.ClientPhone)
		if row.ClientPhone = &number; err != nil {
			refuse("client_phone", phone.ErrInvalid.Message)
		}
	}
	if n.Bank != "" {
		code, err := ParseBankCode(n.Bank)
		if row.BankCode = &code; err != nil || !d.banks[code] {
			refuse("bank", "is not the code of an active bank")
		}
	}
	if n.Reference != "" {
		reference, err := ParseReference(n.Reference)
		if row.Reference = &reference; err != nil || n.Bank == "" {
			refuse("reference", "must be 1 to 36 digits, with its bank")
		}
	}
	if n.ExpiresIn != 0 {
		if row.ExpiresAt = row.CreatedAt.Add(n.ExpiresIn); n.ExpiresIn < minExpiry || n.ExpiresIn > maxExpiry {
			refuse("expires_in", "must be between a minute and 30 days")
		}
	}
	if utf8.RuneCountInString(n.Note) > maxNote || !models.Storable(n.Note) {
		refuse("note", "must have at most 200 characters")
	}
	return details
}

// fillOwn makes the request an entity's top-up of its own wallet, within its bounds.
func (s *Service) fillOwn(ctx context.Context, row *models.PaymentRequest, chain org.Chain, d *directory) ([]apperr.Detail, error) {
	row.Origin = models.OriginTopUp
	payer, err := s.Org.Payer(ctx, row.EntityID)
	if err != nil {
		return nil, err
	}
	id, err := iddoc.Parse(payer.TaxID)
	if err != nil {
		return []apperr.Detail{{Location: "client_id", Message: "is required: the entity has no tax id"}}, nil //nolint:nilerr // it is the refusal
	}
	row.ClientLetter, row.ClientNumber = id.Letter, id.Number
	if row.ClientPhone == nil && payer.Phone != "" {
		row.ClientPhone = &payer.Phone
	}
	bounds, ok := chain.TopUp()
	if !ok || !within(money.Amount(row.Amount), bounds.Min, bounds.Max, d.currency.Digits) {
		return []apperr.Detail{{Location: "amount", Message: "is outside the bounds of the entity's top-ups"}}, nil
	}
	return nil, nil
}

const insertRequestSQL = `INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, ticket_id, client_letter, client_number, client_phone,
		amount, reference, bank_code, status, held_until, query_event_id, expires_at, created_by, idempotency_key, request_hash, note, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`

func insertRequest(ctx context.Context, tx pgx.Tx, r *models.PaymentRequest) error {
	_, err := tx.Exec(ctx, insertRequestSQL, r.ID, r.Origin, r.EntityID, r.WalletID, r.CurrencyID, r.TicketID, r.ClientLetter, r.ClientNumber, r.ClientPhone,
		r.Amount, r.Reference, r.BankCode, r.Status, r.HeldUntil, r.QueryEventID, r.ExpiresAt, r.CreatedBy, r.IdempotencyKey, r.RequestHash, r.Note, r.CreatedAt)
	return err
}
