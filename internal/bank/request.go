package bank

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"banca/internal/apperr"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/phone"
	"banca/models"
)

// Caller is who asks for something, with the part of the organisation he may see.
type Caller struct {
	UserID   uuid.UUID
	EntityID uuid.UUID
	Scope    string // path of his entity
}

// NewRequest announces a payment. Without a client the entity tops up its own wallet.
type NewRequest struct {
	Caller         Caller
	EntityID       uuid.UUID // whose wallet is to be credited
	Amount         string    // decimal
	Currency       string    // id or code; "" is the bank's
	ClientID       string    // identity document of who pays
	ClientPhone    string
	Reference      string // of the payment, when it is made already
	Bank           string // code of the bank that it comes from
	ExpiresIn      time.Duration
	Note           string
	IdempotencyKey string
	RequestHash    [32]byte
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
// idempotency key gets the first one. Errors: ErrInvalidRequest, org.ErrEntityNotFound, ErrKeyReused.
func (s *Service) CreateRequest(ctx context.Context, n *NewRequest) (r *Request, replayed bool, err error) {
	key, err := keyOf(n.Caller.EntityID, n.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	row, err := s.requestRow(ctx, n)
	if err != nil {
		return nil, false, err
	}
	if key != uuid.Nil {
		row.IdempotencyKey, row.RequestHash = &key, n.RequestHash[:]
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error { return insertRequest(ctx, tx, row) })
	if violates(err, "payment_requests_key") {
		r, err = s.replayRequest(ctx, key, n.RequestHash)
		return r, true, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("create payment request: %w", err)
	}
	r, err = s.requestOf(ctx, row)
	return r, false, err
}

// replayRequest returns the request that a key made first.
func (s *Service) replayRequest(ctx context.Context, key uuid.UUID, hash [32]byte) (*Request, error) {
	var row models.PaymentRequest
	if err := s.PG.Gorm.WithContext(ctx).Where("idempotency_key = ?", key).Take(&row).Error; err != nil {
		return nil, fmt.Errorf("find payment request: %w", err)
	}
	if !bytes.Equal(row.RequestHash, hash[:]) {
		return nil, ErrKeyReused
	}
	return s.requestOf(ctx, &row)
}

// requestRow checks an announcement and makes its row; all refusals are named together.
func (s *Service) requestRow(ctx context.Context, n *NewRequest) (*models.PaymentRequest, error) {
	chain, err := s.Org.Chain(ctx, n.EntityID)
	switch {
	case err != nil:
		return nil, err
	case n.Caller.Scope == "" || !strings.HasPrefix(chain.Path(), n.Caller.Scope):
		return nil, org.ErrEntityNotFound
	case !chain.Active():
		return nil, org.ErrCannotSell
	}
	d, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	row := &models.PaymentRequest{
		ID: uuid.Must(uuid.NewV7()), Origin: models.OriginManual, EntityID: n.EntityID, CurrencyID: d.currency.ID, Status: models.RequestOpen,
		ExpiresAt: now.Add(s.Options.RequestExpiry), CreatedBy: optional(n.Caller.UserID), Note: strings.TrimSpace(n.Note), CreatedAt: now,
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

// fill reads the texts of an announcement into its row and names what is wrong.
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
		id, err := ParseDocument(n.ClientID)
		if row.ClientLetter, row.ClientNumber = id.Letter, id.Number; err != nil {
			refuse("client_id", "must be an identity document such as V12345678")
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
			refuse("reference", "must be 4 to 36 digits, with the bank that it is of")
		}
	}
	if n.ExpiresIn != 0 {
		if row.ExpiresAt = row.CreatedAt.Add(n.ExpiresIn); n.ExpiresIn < minExpiry || n.ExpiresIn > maxExpiry {
			refuse("expires_in", "must be between a minute and 30 days")
		}
	}
	if utf8.RuneCountInString(n.Note) > maxNote || strings.ContainsRune(n.Note, 0) || !utf8.ValidString(n.Note) {
		refuse("note", "must have at most 200 characters")
	}
	return details
}

// fillOwn makes the announcement an entity's top-up of its own wallet, within its bounds.
func (s *Service) fillOwn(ctx context.Context, row *models.PaymentRequest, chain org.Chain, d *directory) ([]apperr.Detail, error) {
	row.Origin = models.OriginTopUp
	payer, err := s.Org.Payer(ctx, row.EntityID)
	if err != nil {
		return nil, err
	}
	id, err := ParseDocument(payer.TaxID)
	if err != nil {
		return []apperr.Detail{{Location: "client_id", Message: "is needed: the entity has no tax id of its own"}}, nil //nolint:nilerr // it is the refusal
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

// violates reports whether a unique key of this name refused a write.
func violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.ConstraintName == constraint
}

// RequestFilter selects payment requests; zero fields select all.
type RequestFilter struct {
	Scope    string
	EntityID uuid.UUID
	Status   string
	Origin   string
	ClientID string
	Limit    int
	Offset   int
}

// Requests lists the requests of a subtree, newest first, and says how many there are.
func (s *Service) Requests(ctx context.Context, f *RequestFilter) ([]Request, int64, error) {
	q := s.PG.Gorm.WithContext(ctx).Model(&models.PaymentRequest{}).
		Where("entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", f.Scope+"%")
	if f.EntityID != uuid.Nil {
		q = q.Where("entity_id = ?", f.EntityID)
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Origin != "" {
		q = q.Where("origin = ?", f.Origin)
	}
	if f.ClientID != "" {
		id, err := ParseDocument(f.ClientID)
		if err != nil {
			return nil, 0, nil //nolint:nilerr // no client has such a document
		}
		q = q.Where("client_number = ?", id.Number)
	}
	var total int64
	if err := q.Count(&total).Error; err != nil {
		return nil, 0, fmt.Errorf("count payment requests: %w", err)
	}
	var rows []models.PaymentRequest
	if err := q.Order("id DESC").Limit(f.Limit).Offset(f.Offset).Find(&rows).Error; err != nil {
		return nil, 0, fmt.Errorf("list payment requests: %w", err)
	}
	list := make([]Request, len(rows))
	for i := range rows {
		r, err := s.requestOf(ctx, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *r
	}
	return list, total, nil
}

// Request returns one request of a subtree. Errors: ErrRequestNotFound.
func (s *Service) Request(ctx context.Context, scope string, id uuid.UUID) (*Request, error) {
	row, err := s.loadRequest(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	return s.requestOf(ctx, row)
}

func (s *Service) loadRequest(ctx context.Context, scope string, id uuid.UUID) (*models.PaymentRequest, error) {
	var row models.PaymentRequest
	err := s.PG.Gorm.WithContext(ctx).Where("id = ? AND entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", id, scope+"%").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrRequestNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load payment request: %w", err)
	}
	return &row, nil
}

// CancelRequest closes an open request of a subtree. While the bank holds it, it cannot be cancelled: the
// client is paying. Repeating it is allowed. Errors: ErrRequestNotFound, ErrRequestClosed, ErrRequestHeld.
func (s *Service) CancelRequest(ctx context.Context, caller Caller, id uuid.UUID) (*Request, error) {
	if _, err := s.loadRequest(ctx, caller.Scope, id); err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	_, err := s.PG.Pool.Exec(ctx, `UPDATE payment_requests SET status = 'cancelled', closed_at = $2
		WHERE id = $1 AND status = 'open' AND (held_until IS NULL OR held_until <= $2)`, id, now)
	if err != nil {
		return nil, fmt.Errorf("cancel payment request: %w", err)
	}
	r, err := s.Request(ctx, caller.Scope, id)
	switch {
	case err != nil:
		return nil, err
	case r.Status == models.RequestOpen:
		return nil, ErrRequestHeld
	case r.Status != models.RequestCancelled:
		return nil, ErrRequestClosed
	}
	return r, nil
}

// expireBatch bounds what one statement closes.
const expireBatch = 1_000

// ExpireRequests closes the requests whose time is over and those of cancelled tickets, none of them while it
// is held, and returns how many. It is safe to repeat.
func (s *Service) ExpireRequests(ctx context.Context) (int64, error) {
	var total int64
	for {
		tag, err := s.PG.Pool.Exec(ctx, `UPDATE payment_requests SET status = x.status, closed_at = $1 FROM (
				SELECT r.id, CASE WHEN t.status = 'cancelled' THEN 'cancelled' ELSE 'expired' END AS status
				FROM payment_requests r LEFT JOIN tickets t ON t.id = r.ticket_id
				WHERE r.status = 'open' AND (r.held_until IS NULL OR r.held_until <= $1) AND (r.expires_at <= $1 OR t.status = 'cancelled')
				ORDER BY r.id LIMIT $2 FOR UPDATE OF r SKIP LOCKED) x
			WHERE payment_requests.id = x.id`, s.Clock.Now(), expireBatch)
		if err != nil {
			return total, fmt.Errorf("expire payment requests: %w", err)
		}
		if total += tag.RowsAffected(); tag.RowsAffected() < expireBatch {
			return total, nil
		}
	}
}

func (s *Service) requestOf(ctx context.Context, row *models.PaymentRequest) (*Request, error) {
	currency, err := s.Ledger.CurrencyEver(ctx, row.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, row.EntityID)
	if err != nil {
		return nil, err
	}
	r := &Request{
		ID: row.ID, Origin: row.Origin, EntityID: row.EntityID, WalletID: row.WalletID, Currency: currency,
		ClientID: row.ClientLetter + row.ClientNumber, Amount: money.Amount(row.Amount), Status: row.Status,
		ExpiresAt: row.ExpiresAt.UTC(), Note: row.Note, CreatedAt: row.CreatedAt.UTC(),
		TicketID: value(row.TicketID), PaymentID: value(row.PaymentID), ClientPhone: value(row.ClientPhone), Reference: value(row.Reference),
		Bank: value(row.BankCode), HeldUntil: value(row.HeldUntil).UTC(), ClosedAt: value(row.ClosedAt).UTC(),
	}
	r.PayTo, _ = chain.MobilePayment()
	return r, nil
}

// value is what p points to, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
