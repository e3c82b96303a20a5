package bench

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/ledger"
	"banca/internal/setup/seed"
	"banca/models"
)

// idempotencyRow and outboxRow are the rows of a sale that package models does not have.
type idempotencyRow struct {
	ID          uuid.UUID
	RequestHash []byte
	TicketID    uuid.UUID
	Status      int
}

// TableName implements gorm's Tabler.
func (idempotencyRow) TableName() string { return "idempotency_keys" }

type outboxRow struct {
	ID      uuid.UUID
	Kind    string
	Payload []byte
}

// TableName implements gorm's Tabler.
func (outboxRow) TableName() string { return "outbox" }

// plainGorm is the same sale the ordinary way: one transaction, a gorm call a step, for comparison.
type plainGorm struct {
	stage    *stage
	draws    [2]uuid.UUID
	game     uuid.UUID
	currency uuid.UUID
	ledger   *ledger.Service
}

func (g *plainGorm) worker(hot bool) func(ctx context.Context, client int) (func() (bool, error), error) {
	return func(ctx context.Context, client int) (func() (bool, error), error) {
		point := client
		if hot {
			point = 0
		}
		wallets, err := g.wallets(ctx, point)
		if err != nil {
			return nil, err
		}
		return func() (bool, error) {
			err := g.stage.pg.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return g.sell(tx, client, point, wallets) })
			return err == nil, err
		}, nil
	}
}

// wallets returns the main wallets from the root down to the ticket point.
func (g *plainGorm) wallets(ctx context.Context, point int) ([]uuid.UUID, error) {
	entities := []uuid.UUID{rootID(), seed.ID("entity", seed.CodeSuperAgency), seed.ID("entity", seed.CodeAgency), seed.ID("entity", seed.CodeGroup), pointID(point)}
	return g.ledger.MainWallets(ctx, g.currency, entities...)
}

func (g *plainGorm) sell(tx *gorm.DB, client, point int, wallets []uuid.UUID) error {
	now := time.Now()
	own := wallets[len(wallets)-1]
	var wallet models.Wallet
	if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", own).Take(&wallet).Error; err != nil {
		return err
	}
	var draws []models.Draw
	if err := tx.Where("id IN ?", g.draws[:]).Find(&draws).Error; err != nil {
		return err
	}
	ticket := models.Ticket{
		ID: uuid.Must(uuid.NewV7()), SerialCode: uuid.NewString(), ValidationCode: "000000", EntityID: pointID(point), UserID: userID(client),
		WalletID: own, CurrencyID: g.currency, Status: models.TicketPending, Total: 500, PotentialPrize: 15_000,
		CancelBefore: now, ExpiresAt: now, CreatedAt: now,
	}
	if err := tx.Create(&ticket).Error; err != nil {
		return err
	}
	if err := g.createLines(tx, ticket.ID, client); err != nil {
		return err
	}
	if err := g.book(tx, &ticket, wallets); err != nil {
		return err
	}
	if err := tx.Create(&idempotencyRow{ID: uuid.New(), RequestHash: []byte("hash"), TicketID: ticket.ID, Status: 201}).Error; err != nil {
		return err
	}
	return tx.Create(&outboxRow{ID: uuid.Must(uuid.NewV7()), Kind: "receipt.render", Payload: []byte(`{"ticket_id":"` + ticket.ID.String() + `"}`)}).Error
}

func (g *plainGorm) createLines(tx *gorm.DB, ticket uuid.UUID, client int) error {
	for n, item := range items(g.draws, client) {
		row := map[string]any{
			"ticket_id": ticket, "line_no": n, "draw_id": item.DrawID, "game_id": g.game, "bet_type": item.BetType, "selection": item.Selection[0],
			"amount": 100, "payout": 3_000, "potential_prize": 3_000, "rule_version": 1, "commission_rates": "{1800,1500,1300,1000}",
		}
		if err := tx.Table("ticket_items").Create(row).Error; err != nil {
			return err
		}
	}
	return nil
}

// book writes the two transactions with their postings; those on the selling wallet change its balance.
func (g *plainGorm) book(tx *gorm.DB, ticket *models.Ticket, wallets []uuid.UUID) error {
	root, own := wallets[0], wallets[len(wallets)-1]
	for _, booking := range []struct {
		kind     string
		amount   int64
		postings []models.Posting
	}{
		{models.TransactionSale, 500, []models.Posting{{WalletID: own, Amount: -500}, {WalletID: root, Amount: 500}}},
		{models.TransactionCommission, 90, []models.Posting{
			{WalletID: root, Amount: -90}, {WalletID: wallets[1], Amount: 15}, {WalletID: wallets[2], Amount: 10},
			{WalletID: wallets[3], Amount: 15}, {WalletID: own, Amount: 50},
		}},
	} {
		t := models.Transaction{
			ID: uuid.Must(uuid.NewV7()), Type: booking.kind, EntityID: ticket.EntityID, CurrencyID: ticket.CurrencyID,
			Amount: booking.amount, TicketID: &ticket.ID, UserID: &ticket.UserID, CreatedAt: ticket.CreatedAt,
		}
		if err := tx.Create(&t).Error; err != nil {
			return err
		}
		for i := range booking.postings {
			p := &booking.postings[i]
			p.TransactionID, p.Direct, p.CreatedAt = t.ID, p.WalletID == own, t.CreatedAt
		}
		if err := tx.Create(&booking.postings).Error; err != nil {
			return err
		}
	}
	return nil
}
