package bank

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// answerQuery answers phase A. The answer is true if and only if the client is known, the telephone number is one of
// the operator's, and the client can pay: exactly one live request fits, or the client is an entity that may top up its
// own wallet. It never credits.
func (s *Service) answerQuery(ctx context.Context, fields object, e *event) (bool, error) {
	q, err := readFields(PhaseQuery, fields, s.Options.Zone)
	if err != nil {
		return false, e.badField(err)
	}
	e.pass(CheckFields)
	e.fields, e.phone, e.amount = q.stored, q.merchantPhone, q.amount
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return false, err
	}
	own, err := s.findOwnDeposit(ctx, d, q)
	if err != nil {
		return false, apperr.ErrStore.WithCause(err)
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	answer, base := false, len(e.checks)
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		e.checks = e.checks[:base]
		answer, err = s.decideQuery(ctx, tx, d, q, own, e)
		return err
	})
	if err != nil {
		return false, apperr.ErrStore.WithCause(err)
	}
	e.answer, e.stored = answer, true
	return answer, nil
}

// ownDeposit is the deposit that an entity may make to its own wallet without a request.
type ownDeposit struct {
	entity uuid.UUID // Nil if the client is no entity, or several
	wallet uuid.UUID
	phone  string
}

// findOwnDeposit finds the entity with the client's document, if it may top up its wallet by the amount.
func (s *Service) findOwnDeposit(ctx context.Context, d *directory, q *values) (own ownDeposit, err error) {
	if !s.Options.OpenDeposits {
		return own, nil
	}
	payers, err := s.Org.PayersByNumber(ctx, q.client.Number)
	if err != nil {
		return own, err
	}
	for _, p := range payers {
		if id, err := iddoc.Parse(p.TaxID); err != nil || !id.Fits(q.client) {
			continue
		}
		if own.entity != uuid.Nil { // two entities of one owner: ambiguous
			return ownDeposit{}, nil
		}
		own.entity, own.phone = p.ID, p.Phone
	}
	if own.entity == uuid.Nil {
		return own, nil
	}
	chain, err := s.Org.Chain(ctx, own.entity)
	if err != nil {
		return own, err
	}
	bounds, ok := chain.TopUp()
	if !ok || !chain.Active() || !inBounds(q.amount, bounds.Min, bounds.Max, d.currency.Digits) {
		return ownDeposit{}, nil
	}
	wallets, err := s.Ledger.MainWallets(ctx, d.currency.ID, own.entity)
	if err != nil {
		return own, err
	}
	own.wallet = wallets[0]
	return own, nil
}

// inBounds reports whether an amount is between minimum and maximum. It is false if one of them is invalid.
func inBounds(amount money.Amount, minimum, maximum string, digits int) bool {
	from, err := money.Parse(minimum, digits)
	if err != nil {
		return false
	}
	to, err := money.Parse(maximum, digits)
	return err == nil && from <= amount && amount <= to
}

// fittingRequest is a live request of the client for the amount.
type fittingRequest struct {
	id    uuid.UUID
	held  bool
	event uuid.UUID // of the query that holds it
}

// decideQuery decides a query under the lock of its client, so that concurrent equal queries create one request. It
// writes the event in the transaction of its effect.
func (s *Service) decideQuery(ctx context.Context, tx pgx.Tx, d *directory, q *values, own ownDeposit, e *event) (bool, error) {
	if err := storage.LockBankClient.TakeKeys(ctx, tx, lockKey(q.client.Number)); err != nil {
		return false, err
	}
	known, fits, err := s.readClient(ctx, tx, d, q, e.at)
	if err != nil {
		return false, err
	}
	var held *fittingRequest
	for i := range fits {
		if fits[i].held {
			held = &fits[i]
		}
	}
	merchant := d.hasMerchantPhone(q.merchantPhone)
	if held != nil && merchant { // a repeat while the request is held
		return true, s.repeatQuery(ctx, tx, held, e)
	}
	e.checkBusiness(CheckMerchant, merchant, ReasonMerchantUnknown)
	e.checkBusiness(CheckClient, known || own.entity != uuid.Nil, "client_unknown")
	switch {
	case !merchant || (!known && own.entity == uuid.Nil):
		e.outcome = OutcomeRefused
	case len(fits) == 1:
		err = s.hold(ctx, tx, fits[0].id, e)
	case len(fits) == 0 && own.entity != uuid.Nil:
		err = s.createHeldRequest(ctx, tx, d, q, own, e)
	case len(fits) == 0:
		e.failBusiness(CheckRequest, ReasonNoRequest)
		e.outcome = OutcomeRefused
	default:
		e.failBusiness(CheckRequest, ReasonSeveral)
		e.outcome = OutcomeRefused
	}
	if err != nil {
		return false, err
	}
	answer := e.outcome != OutcomeRefused
	e.answer = answer
	return answer, s.insertEvent(ctx, tx, e)
}

// checkBusiness records a check of the business that passed if ok.
func (e *event) checkBusiness(name string, ok bool, detail string) {
	if ok {
		e.pass(name)
		return
	}
	e.failBusiness(name, detail)
}

func (s *Service) insertEvent(ctx context.Context, tx pgx.Tx, e *event) error {
	b := &pgx.Batch{}
	if err := queueEvents(b, []*event{e}, s.Clock.Now()); err != nil {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// readClient reports whether the client's document is known, and returns the live requests of the client that fit the
// amount. A document is known if a customer, an entity or a live request has it. Only requests of entities that are
// active, with all their ancestors, and in the bank's currency fit.
func (s *Service) readClient(
	ctx context.Context, tx pgx.Tx, d *directory, q *values, now time.Time,
) (known bool, fits []fittingRequest, err error) {
	var documents []string
	b := &pgx.Batch{}
	b.Queue(`SELECT id_document FROM customers WHERE client_number(id_document) = $1 AND id_document IS NOT NULL
		UNION ALL SELECT legal_info ->> 'tax_id' FROM entities WHERE client_number(legal_info ->> 'tax_id') = $1
			AND legal_info ->> 'tax_id' IS NOT NULL AND `+org.ActiveAbove("entities")+` LIMIT 100`, q.client.Number).
		Query(func(rows pgx.Rows) (err error) {
			documents, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	b.Queue(`SELECT r.id, coalesce(r.held_until > $3, false), coalesce(r.query_event_id, '00000000-0000-0000-0000-000000000000'), r.amount = $2
		FROM payment_requests r JOIN entities en ON en.id = r.entity_id AND `+org.ActiveAbove("en")+`
		WHERE r.client_number = $1 AND r.status = 'open' AND r.currency_id = $5
			AND (r.expires_at > $3 OR r.held_until > $3)
			AND ($4 = '' OR r.client_letter IN ('', $4))
			AND (SELECT t.status FROM tickets t WHERE t.id = r.ticket_id) IS DISTINCT FROM 'cancelled'
		ORDER BY r.amount = $2 DESC, r.id LIMIT 100`, q.client.Number, int64(q.amount), now, q.client.Letter,
		d.currency.ID).
		Query(func(rows pgx.Rows) error {
			var f fittingRequest
			var fitting bool
			_, err := pgx.ForEachRow(rows, []any{&f.id, &f.held, &f.event, &fitting}, func() error {
				if known = true; fitting {
					fits = append(fits, f)
				}
				return nil
			})
			return err
		})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return false, nil, err
	}
	for _, text := range documents {
		if id, err := iddoc.Parse(text); err == nil && id.Fits(q.client) {
			known = true
		}
	}
	return known, fits, nil
}

// repeatQuery increments the repeats of the event that holds the request.
func (s *Service) repeatQuery(ctx context.Context, tx pgx.Tx, held *fittingRequest, e *event) error {
	e.outcome = OutcomeHeld
	_, err := tx.Exec(ctx, `UPDATE bank_events SET repeats = repeats + 1, last_repeat_at = $2 WHERE id = $1`, held.event, e.at)
	return err
}

// hold holds a request for the payment that the bank asked about. If a concurrent notification or cancellation has
// closed the request, hold refuses the query.
func (s *Service) hold(ctx context.Context, tx pgx.Tx, id uuid.UUID, e *event) error {
	tag, err := tx.Exec(ctx, `UPDATE payment_requests SET held_until = $2, query_event_id = $3 WHERE id = $1 AND status = 'open'`,
		id, e.at.Add(s.Options.Hold), e.identify())
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		e.failBusiness(CheckRequest, ReasonNoRequest)
		e.outcome = OutcomeRefused
		return nil
	}
	e.pass(CheckRequest)
	e.outcome, e.request = OutcomeHeld, id
	return nil
}

// createHeldRequest creates the request of an entity's own deposit, already held.
func (s *Service) createHeldRequest(ctx context.Context, tx pgx.Tx, d *directory, q *values, own ownDeposit, e *event) error {
	until := e.at.Add(s.Options.Hold)
	event := e.identify()
	row := models.PaymentRequest{
		ID: uuid.Must(uuid.NewV7()), Origin: models.OriginQuery, EntityID: own.entity, WalletID: own.wallet, CurrencyID: d.currency.ID,
		ClientLetter: q.client.Letter, ClientNumber: q.client.Number, Amount: int64(q.amount), Status: models.RequestOpen,
		HeldUntil: &until, QueryEventID: &event, ExpiresAt: until, CreatedAt: e.at,
	}
	if own.phone != "" {
		row.ClientPhone = &own.phone
	}
	if err := insertRequest(ctx, tx, &row); err != nil {
		return err
	}
	e.pass(CheckRequest)
	e.outcome, e.request = OutcomeOpened, row.ID
	return nil
}
