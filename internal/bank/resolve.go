package bank

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
	"banca/tasks/outbox"
)

// Resolution is the request to resolve an unreconciled payment: to assign it to an entity or to an open payment
// request, or to mark it as refunded. An assignment has either EntityID or RequestID, a refund has neither.
type Resolution struct {
	PaymentID      uuid.UUID
	EntityID       uuid.UUID // whose wallet to credit
	RequestID      uuid.UUID // the request that the payment is for
	Note           string
	IdempotencyKey string
}

// meaning returns the meaning of a resolution.
func (r *Resolution) meaning(action activity.Action) idempotency.Meaning {
	return idempotency.Of(
		action.Name(), r.PaymentID.String(), r.EntityID.String(), r.RequestID.String(), cutNote(r.Note),
	)
}

// Assign books an unreconciled payment to a wallet: from the suspense wallet if it was booked there, otherwise from the
// wallet of the operator's bank account. Errors: ErrPaymentNotFound, ErrResolved, ErrNoTarget, ErrRequestNotFound,
// ErrRequestClosed, org.ErrEntityNotFound, idempotency.ErrKeyReused, ErrOperatorOnly.
func (s *Service) Assign(ctx context.Context, by caller.Caller, r *Resolution) (p *Payment, replayed bool, err error) {
	if err := requireOperator(by); err != nil {
		return nil, false, err
	}
	if (r.EntityID == uuid.Nil) == (r.RequestID == uuid.Nil) {
		return nil, false, ErrNoTarget
	}
	return s.resolvePayment(ctx, by, r, activity.BankPaymentsAssign, func() (applyFunc, error) {
		return s.assignment(ctx, by, r)
	})
}

// applyFunc applies a resolution to a locked payment.
type applyFunc func(tx pgx.Tx, row *models.BankPayment, now time.Time) error

// assignment returns the function that assigns a payment to the target of a resolution. Errors: org.ErrEntityNotFound,
// org.ErrCannotSell.
func (s *Service) assignment(ctx context.Context, by caller.Caller, r *Resolution) (applyFunc, error) {
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return nil, err
	}
	target := target{entity: r.EntityID, request: r.RequestID, user: by.UserID}
	if r.EntityID != uuid.Nil {
		chain, err := s.Org.Chain(ctx, r.EntityID)
		if err != nil {
			return nil, err
		}
		if !chain.Active() {
			return nil, org.ErrCannotSell
		}
		wallets, err := s.Ledger.MainWallets(ctx, d.currency.ID, r.EntityID)
		if err != nil {
			return nil, err
		}
		target.wallet = wallets[0]
	}
	return func(tx pgx.Tx, row *models.BankPayment, now time.Time) error {
		return s.assignTx(ctx, tx, d, row, target, now)
	}, nil
}

// target is the entity, wallet and request that a payment is assigned to, and the user who assigns it.
type target struct{ entity, wallet, request, user uuid.UUID }

// Refund marks an unreconciled payment as refunded. A payment in the suspense wallet is booked back; a payment that was
// answered false was never booked. Errors: as Assign, ledger.ErrCurrencyMismatch.
func (s *Service) Refund(ctx context.Context, by caller.Caller, r *Resolution) (p *Payment, replayed bool, err error) {
	if err := requireOperator(by); err != nil {
		return nil, false, err
	}
	return s.resolvePayment(ctx, by, r, activity.BankPaymentsRefund, func() (applyFunc, error) {
		return s.refund(ctx, by)
	})
}

func (s *Service) refund(ctx context.Context, by caller.Caller) (applyFunc, error) {
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return nil, err
	}
	return func(tx pgx.Tx, row *models.BankPayment, now time.Time) error {
		if row.State == models.PaymentSuspense {
			if row.CurrencyID != d.currency.ID { // the bank had another currency, whose wallets the directory does not have
				return ledger.ErrCurrencyMismatch
			}
			out := move(row, d, transfer{kind: models.TransactionWithdrawal, entity: d.root, from: d.suspense, to: d.external, user: by.UserID}, now)
			if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{d.suspense}, out); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `UPDATE bank_payments SET state = 'refunded' WHERE id = $1`, row.ID)
		return err
	}, nil
}

// resolvePayment is the common part of Assign and Refund. It answers a repeat of an earlier request before prepare
// reads the directory, the entity or its wallet.
func (s *Service) resolvePayment(
	ctx context.Context, by caller.Caller, r *Resolution, action activity.Action, prepare func() (applyFunc, error),
) (p *Payment, replayed bool, err error) {
	key, err := idempotency.KeyOf(by.EntityID, r.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: r.meaning(action)}
	p, replayed, err = idempotency.Once(ctx, s.PG.Pool, use, func(ctx context.Context, first *idempotency.Answer) (*Payment, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.Payment(ctx, by, id)
	}, func() (*Payment, error) { return s.resolve(ctx, by, r, action, use, prepare) })
	if err == nil && !replayed {
		s.Wake()
	}
	return p, replayed, err
}

// resolve locks the payment, checks its state, applies the resolution and stores the idempotency key. The answer is
// read before the commit, so that a resolution is not answered with an error.
func (s *Service) resolve(
	ctx context.Context, by caller.Caller, r *Resolution, action activity.Action, use idempotency.Use,
	prepare func() (applyFunc, error),
) (*Payment, error) {
	p, err := s.Payment(ctx, by, r.PaymentID)
	if err != nil {
		return nil, err
	}
	if !p.Waits() {
		return nil, ErrResolved
	}
	apply, err := prepare()
	if err != nil {
		return nil, err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		row, err := readPayment(
			ctx, tx, `SELECT `+paymentColumns+` FROM bank_payments WHERE id = $1 FOR UPDATE`, r.PaymentID,
		)
		if err != nil {
			return err
		}
		if !slices.Contains(Waiting(), row.State) { // resolved since the first read
			return ErrResolved
		}
		if payer, err := payerTx(ctx, tx, row.ID); err != nil || payer != uuid.Nil { // bank.claim books it to the ticket's wallet
			return cmp.Or(err, error(ErrResolved))
		}
		now := s.Clock.Now().Truncate(time.Microsecond)
		if err := apply(tx, row, now); err != nil {
			return err
		}
		resolved, err := readPayment(ctx, tx, `UPDATE bank_payments SET resolved_by = $2, resolved_at = $3, note = $4 WHERE id = $1 RETURNING `+paymentColumns,
			row.ID, models.Optional(by.UserID), now, cutNote(r.Note))
		if err != nil {
			return err
		}
		p = paymentWith(resolved, p.Currency)
		if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: row.ID[:]}); err != nil {
			return err
		}
		return recordTx(ctx, tx, by, action, row.ID.String(), map[string]any{
			"bank": row.BankCode, "reference": row.Reference, "amount": money.Amount(row.Amount).Format(AmountDigits),
			"state":     row.State,
			"entity_id": models.Optional(r.EntityID), "payment_request_id": models.Optional(r.RequestID),
			"note": cutNote(r.Note),
		})
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func cutNote(note string) string {
	clean := cleanText(strings.ToValidUTF8(note, ""))
	return clean
}

const paymentColumns = `id, bank_code, reference, local_date, amount, currency_id, sender_phone, merchant_phone, concept, paid_at, state, reason, answer,
	conflict_of, request_id, entity_id, wallet_id, transaction_id, event_id, resolved_by, resolved_at, note, received_at`

// readPayment returns the row of a statement that selects or changes one payment. Errors: ErrPaymentNotFound.
func readPayment(ctx context.Context, q storage.Querier, sql string, args ...any) (*models.BankPayment, error) {
	return storage.One(ctx, q, "read payment", ErrPaymentNotFound, pgx.RowToStructByName[models.BankPayment],
		sql, args...)
}

// assignTx books a payment to a target and closes the target's request, if it has one.
func (s *Service) assignTx(
	ctx context.Context, tx pgx.Tx, d *directory, row *models.BankPayment, t target, now time.Time,
) error {
	if row.CurrencyID != d.currency.ID { // the bank had another currency
		return ErrNoTarget
	}
	if t.request != uuid.Nil {
		var status string
		var amount int64
		var currency uuid.UUID
		err := tx.QueryRow(ctx, `SELECT entity_id, wallet_id, status, amount, currency_id FROM payment_requests
			WHERE id = $1 FOR UPDATE`, t.request).
			Scan(&t.entity, &t.wallet, &status, &amount, &currency)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrRequestNotFound
		case err != nil:
			return err
		case status != models.RequestOpen:
			return ErrRequestClosed
		case amount != row.Amount || currency != d.currency.ID:
			return ErrNoTarget
		}
		_, err = tx.Exec(
			ctx, `UPDATE payment_requests SET status = 'paid', payment_id = $2, closed_at = $3 WHERE id = $1`,
			t.request, row.ID, now,
		)
		if err != nil {
			return err
		}
	}
	from, debited := d.external, []uuid.UUID{t.wallet}
	if row.State == models.PaymentSuspense {
		from, debited = d.suspense, []uuid.UUID{d.suspense, t.wallet}
	}
	deposit := move(
		row, d, transfer{kind: models.TransactionDeposit, entity: t.entity, from: from, to: t.wallet, user: t.user},
		now,
	)
	if err := s.Ledger.PostTx(ctx, tx, debited, deposit); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE bank_payments SET state = 'assigned', entity_id = $2, wallet_id = $3, request_id = $4, transaction_id = $5 WHERE id = $1`,
		row.ID, t.entity, t.wallet, models.Optional(t.request), deposit.ID)
	if err != nil {
		return err
	}
	task, err := notifyTask(row.ID)
	if err != nil {
		return err
	}
	return outbox.EnqueueTx(ctx, tx, task)
}

// transfer holds the type, entity, wallets and user of a transaction that moves a payment's amount.
type transfer struct {
	kind                   string
	entity, from, to, user uuid.UUID
}

// move returns the transaction of a transfer.
func move(row *models.BankPayment, d *directory, t transfer, now time.Time) ledger.Transaction {
	amount := money.Amount(row.Amount)
	return ledger.Transaction{
		ID: uuid.Must(uuid.NewV7()), Type: t.kind, EntityID: t.entity, CurrencyID: d.currency.ID, Amount: amount,
		UserID:    t.user,
		Reference: row.BankCode + "/" + row.Reference, At: now,
		Postings: []ledger.Posting{{WalletID: t.from, Amount: -amount}, {WalletID: t.to, Amount: amount}},
	}
}
