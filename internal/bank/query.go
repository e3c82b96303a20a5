package bank

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/iddoc"
	"banca/internal/money"
	"banca/internal/org"
	"banca/models"
	"banca/storage"
)

// answerQuery is Phase A. It is true iff the client is known, the telephone is one of ours and he can pay:
// exactly one live request fits, or he is an entity that may top up its own wallet. It never credits.
func (s *Service) answerQuery(ctx context.Context, fields object, e *event) (bool, error) {
	q, err := readQuery(fields)
	if err != nil {
		return false, e.badField(err)
	}
	e.pass(CheckFields)
	e.fields, e.phone, e.amount = q.shown(), q.merchantPhone, q.amount
	d, err := s.look(ctx)
	if err != nil {
		return false, err
	}
	own, err := s.ownDeposit(ctx, d, q)
	if err != nil {
		return false, ErrStore.WithCause(err)
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
		return false, ErrStore.WithCause(err)
	}
	e.answer, e.stored = answer, true
	return answer, nil
}

// deposit that a client may make without a request: into the wallet of the one entity he is.
type ownDeposit struct {
	entity uuid.UUID // Nil without one, or with several
	wallet uuid.UUID
	phone  string
}

// ownDeposit finds the entity that the client is, if it may top up its wallet by this amount.
func (s *Service) ownDeposit(ctx context.Context, d *directory, q *query) (own ownDeposit, err error) {
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
	if !ok || !chain.Active() || !within(q.amount, bounds.Min, bounds.Max, d.currency.Digits) {
		return ownDeposit{}, nil
	}
	wallets, err := s.Ledger.MainWallets(ctx, d.currency.ID, own.entity)
	if err != nil {
		return own, err
	}
	own.wallet = wallets[0]
	return own, nil
}

// within reports whether an amount lies in bounds; bounds that cannot be read allow nothing.
func within(amount money.Amount, least, most string, digits int) bool {
	from, err := money.Parse(least, digits)
	if err != nil {
		return false
	}
	to, err := money.Parse(most, digits)
	return err == nil && from <= amount && amount <= to
}

// openFit is a live request of the client over the amount.
type openFit struct {
	id    uuid.UUID
	held  bool
	event uuid.UUID // of the query that holds it
}

// decideQuery decides under the lock of the client, so that equal queries at once make one request, and
// writes the event with its effect.
func (s *Service) decideQuery(ctx context.Context, tx pgx.Tx, d *directory, q *query, own ownDeposit, e *event) (bool, error) {
	if err := storage.LockBankClient.TakeKeys(ctx, tx, lockKey(q.client.Number)); err != nil {
		return false, err
	}
	known, fits, err := s.readClient(ctx, tx, q, e.at)
	if err != nil {
		return false, err
	}
	var held *openFit
	for i := range fits {
		if fits[i].held {
			held = &fits[i]
		}
	}
	merchant := d.ours(q.merchantPhone)
	if held != nil && merchant { // a repeat while the hold lives
		return true, s.repeatQuery(ctx, tx, held, e)
	}
	e.check(CheckMerchant, merchant, ReasonMerchantUnknown)
	e.check(CheckClient, known || own.entity != uuid.Nil, "client_unknown")
	switch {
	case !merchant || (!known && own.entity == uuid.Nil):
		e.outcome = OutcomeRefused
	case len(fits) == 1:
		err = s.hold(ctx, tx, fits[0].id, e)
	case len(fits) == 0 && own.entity != uuid.Nil:
		err = s.openHeld(ctx, tx, d, q, own, e)
	case len(fits) == 0:
		e.miss(CheckRequest, ReasonNoRequest)
		e.outcome = OutcomeRefused
	default:
		e.miss(CheckRequest, ReasonSeveral)
		e.outcome = OutcomeRefused
	}
	if err != nil {
		return false, err
	}
	answer := e.outcome != OutcomeRefused
	e.answer = answer
	return answer, s.insertEvent(ctx, tx, e)
}

// check notes a check of the business.
func (e *event) check(name string, ok bool, detail string) {
	if ok {
		e.pass(name)
		return
	}
	e.miss(name, detail)
}

func (s *Service) insertEvent(ctx context.Context, tx pgx.Tx, e *event) error {
	b := &pgx.Batch{}
	if err := queueEvents(b, []*event{e}, s.Clock.Now()); err != nil {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// readClient reports whether the document is known, and which live requests of its client fit the amount. A document
// in a live request is known, too. Only requests of entities that are active with all their ancestors fit.
func (s *Service) readClient(ctx context.Context, tx pgx.Tx, q *query, now time.Time) (known bool, fits []openFit, err error) {
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
		WHERE r.client_number = $1 AND r.status = 'open' AND (r.expires_at > $3 OR r.held_until > $3)
			AND ($4 = '' OR r.client_letter IN ('', $4))
			AND (SELECT t.status FROM tickets t WHERE t.id = r.ticket_id) IS DISTINCT FROM 'cancelled'
		ORDER BY r.amount = $2 DESC, r.id LIMIT 100`, q.client.Number, int64(q.amount), now, q.client.Letter).
		Query(func(rows pgx.Rows) error {
			var f openFit
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

// repeatQuery counts a repeat on the query that holds the request.
func (s *Service) repeatQuery(ctx context.Context, tx pgx.Tx, held *openFit, e *event) error {
	e.outcome = OutcomeHeld
	_, err := tx.Exec(ctx, `UPDATE bank_events SET repeats = repeats + 1, last_repeat_at = $2 WHERE id = $1`, held.event, e.at)
	return err
}

// hold keeps a request for the payment that the bank asked about. A request that a notification or a
// cancellation closes at this moment is not held: the lock shows it closed.
func (s *Service) hold(ctx context.Context, tx pgx.Tx, id uuid.UUID, e *event) error {
	tag, err := tx.Exec(ctx, `UPDATE payment_requests SET held_until = $2, query_event_id = $3 WHERE id = $1 AND status = 'open'`,
		id, e.at.Add(s.Options.Hold), e.identify())
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		e.miss(CheckRequest, ReasonNoRequest)
		e.outcome = OutcomeRefused
		return nil
	}
	e.pass(CheckRequest)
	e.outcome, e.request = OutcomeHeld, id
	return nil
}

// openHeld makes the request of an entity's own deposit on the spot, held from the start.
func (s *Service) openHeld(ctx context.Context, tx pgx.Tx, d *directory, q *query, own ownDeposit, e *event) error {
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
