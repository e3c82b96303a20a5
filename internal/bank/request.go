package bank

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/bank/bankfield"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
	"banca/models"
)

// NewRequest is the request to create a payment request. Without a client, the entity tops up its own wallet.
type NewRequest struct {
	EntityID       uuid.UUID // whose wallet is to be credited
	Amount         string    // decimal
	Currency       string    // id or code; "" is the bank's
	ClientID       string    // identity document of the payer
	ClientPhone    string
	Reference      string // of a payment that was already made
	Bank           string // code of the bank that the payment comes from
	ExpiresIn      time.Duration
	Note           string
	IdempotencyKey string
}

// Request is a payment request: a payment that is expected.
type Request struct {
	ID          uuid.UUID
	Origin      string
	EntityID    uuid.UUID
	WalletID    uuid.UUID
	Currency    ledger.Currency
	TicketID    uuid.UUID // Nil if it is not for a ticket
	ClientID    string
	ClientPhone string
	Amount      money.Amount
	Reference   string
	Bank        string
	Status      string
	HeldUntil   time.Time // zero if no query has held it
	PaymentID   uuid.UUID // Nil while unpaid
	ExpiresAt   time.Time
	ClosedAt    time.Time
	Note        string
	CreatedAt   time.Time
	PayTo       org.MobilePayment // the account to pay to; zero if the entity has none

	BankName, PayToBank string // of Bank and PayTo; set by NamedRequest
}

// Document is the document of the client as people write it.
func (r *Request) Document() string { return iddoc.Written(r.ClientID) }

// Fields returns the fields that the bank's calls about the payment of the request have, without the amount.
func (r *Request) Fields() map[string]string {
	fields := map[string]string{
		bankfield.Client: r.ClientID, bankfield.SenderPhone: r.ClientPhone, bankfield.Bank: r.Bank, bankfield.Reference: r.Reference,
	}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	return fields
}

// Bounds of a request.
const (
	maxExpiry = 30 * 24 * time.Hour
	minExpiry = time.Minute
	maxNote   = 200 // characters
)

// CreateRequest creates a request of a payment to the wallet of an entity in the caller's scope. A repeat of an
// idempotency key returns the first request. Errors: ErrInvalidRequest, org.ErrEntityNotFound,
// idempotency.ErrKeyReused.
func (s *Service) CreateRequest(
	ctx context.Context, by caller.Caller, n *NewRequest,
) (r *Request, replayed bool, err error) {
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
	meaning, err := s.meaningOf(ctx, n)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: meaning}
	return idempotency.Once(ctx, s.PG.Pool, use, func(ctx context.Context, first *idempotency.Answer) (*Request, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.Request(ctx, by, id)
	}, func() (*Request, error) { return s.createRequest(ctx, by, n, chain, use) })
}

// createRequest validates a request and inserts it with its idempotency key.
func (s *Service) createRequest(
	ctx context.Context, by caller.Caller, n *NewRequest, chain org.Chain, use idempotency.Use,
) (*Request, error) {
	row, err := s.requestRow(ctx, by, n, chain)
	if err != nil {
		return nil, err
	}
	r, err := s.requestOf(ctx, row) // the answer, read before the commit
	if err != nil {
		return nil, err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		if err := insertRequest(ctx, tx, row); err != nil {
			return err
		}
		return use.StoreTx(ctx, tx, &idempotency.Answer{Response: row.ID[:]})
	})
	if err != nil {
		return nil, fmt.Errorf("create payment request: %w", err)
	}
	return r, nil
}

// meaningOf returns the meaning of a request: the fields that the caller sent, in normal form. It does not include
// data of the entity, which may change between a request and its repeat. The bank's currency is the default, so its
// normal form is no field.
func (s *Service) meaningOf(ctx context.Context, n *NewRequest) (idempotency.Meaning, error) {
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
	fields := []string{
		n.EntityID.String(), idempotency.Decimal(n.Amount), client, number, n.Reference, bank, n.ExpiresIn.String(),
		strings.TrimSpace(n.Note),
	}
	if n.Currency != "" {
		c, err := s.Ledger.AnyCurrency(ctx, n.Currency)
		if err != nil && !errors.Is(err, ledger.ErrCurrencyNotFound) {
			return idempotency.Meaning{}, err
		}
		if c.Code != s.Options.Currency {
			fields = append(fields, n.Currency)
		}
	}
	return idempotency.Of("payment request", fields...), nil
}

// requestRow validates a new request and returns its row. ErrInvalidRequest names all invalid fields.
func (s *Service) requestRow(
	ctx context.Context, by caller.Caller, n *NewRequest, chain org.Chain,
) (*models.PaymentRequest, error) {
	if !chain.Active() {
		return nil, org.ErrCannotSell
	}
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	row := &models.PaymentRequest{
		ID: uuid.Must(uuid.NewV7()), Origin: models.OriginManual, EntityID: n.EntityID, CurrencyID: d.currency.ID,
		Status:    models.RequestOpen,
		ExpiresAt: now.Add(s.Options.RequestExpiry), CreatedBy: models.Optional(by.UserID),
		Note: strings.TrimSpace(n.Note), CreatedAt: now,
	}
	details := s.fillFields(ctx, row, n, d)
	if n.ClientID == "" && len(details) == 0 {
		details, err = s.fillTopUp(ctx, row, chain, d)
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

// fillFields parses the fields of a request into its row and returns a detail for each invalid one.
func (s *Service) fillFields(
	ctx context.Context, row *models.PaymentRequest, n *NewRequest, d *directory,
) (details []apperr.Detail) {
	refuse := func(location string, message apperr.Message) {
		details = append(details, apperr.Detail{Location: location, Message: message})
	}
	amount, err := money.Parse(n.Amount, d.currency.Digits)
	if row.Amount = int64(amount); err != nil || len(strings.Split(n.Amount, ".")[0]) > maxWholeDigits {
		refuse("amount", money.Expected)
	}
	if n.Currency != "" {
		if c, err := s.Ledger.Currency(ctx, n.Currency); err != nil || c.ID != d.currency.ID {
			refuse("currency", apperr.Messagef("the bank pays in %s", d.currency.Code))
		}
	}
	if n.ClientID != "" {
		id, err := iddoc.Parse(n.ClientID)
		if row.ClientLetter, row.ClientNumber = id.Letter, id.Number; err != nil {
			refuse("client_id", iddoc.Expected)
		}
	}
	if n.ClientPhone != "" {
		number, err := phone.Normalise(n.ClientPhone)
		if row.ClientPhone = &number; err != nil {
			refuse("client_phone", phone.Expected)
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

// fillTopUp sets the client of a request to the entity itself, which tops up its own wallet within its bounds.
func (s *Service) fillTopUp(
	ctx context.Context, row *models.PaymentRequest, chain org.Chain, d *directory,
) ([]apperr.Detail, error) {
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
	if !ok || !inBounds(money.Amount(row.Amount), bounds.Min, bounds.Max, d.currency.Digits) {
		return []apperr.Detail{{Location: "amount", Message: "is outside the bounds of the entity's top-ups"}}, nil
	}
	return nil, nil
}

const insertRequestSQL = `INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, ticket_id, client_letter, client_number, client_phone,
		amount, reference, bank_code, status, held_until, query_event_id, expires_at, created_by, note, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`

func insertRequest(ctx context.Context, tx pgx.Tx, r *models.PaymentRequest) error {
	_, err := tx.Exec(ctx, insertRequestSQL, r.ID, r.Origin, r.EntityID, r.WalletID, r.CurrencyID, r.TicketID, r.ClientLetter, r.ClientNumber, r.ClientPhone,
		r.Amount, r.Reference, r.BankCode, r.Status, r.HeldUntil, r.QueryEventID, r.ExpiresAt, r.CreatedBy, r.Note, r.CreatedAt)
	return err
}
