package sales

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/models"
	"banca/storage"
)

// Filter selects tickets; zero fields select all.
type Filter struct {
	EntityID uuid.UUID // the seller
	Below    uuid.UUID // the seller or an entity above it
	Status   string
	Serial   string
	Date     businessday.Day
	Total    string      // decimal, in the currency of the ticket; it needs a Date, which bounds the read
	Customer []uuid.UUID // the rows of a customer, as customers.Group has them
	Oldest   bool        // oldest first
	Limit    int
	Offset   int
	Counted  int // the number of all tickets is a lower bound from there on; 0 for storage.MaxCounted
}

// List returns a page of the tickets in the caller's scope that a filter selects, with their lines, and the number of
// all of them. The secrets are redacted as by [Redact]. A serial code is looked up in the archive, too; other filters
// read the tables only. Errors: org.ErrEntityNotFound, money.ErrAmount, months.ErrPeriodArchived.
func (s *Service) List(ctx context.Context, by caller.Caller, f Filter) ([]Ticket, int64, error) {
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return nil, 0, err
	}
	if within, err = s.Org.Listed(ctx, within); err != nil {
		return nil, 0, err
	}
	below, err := s.narrow(ctx, by, &f)
	if err != nil {
		return nil, 0, err
	}
	// One seller has an index of its own. Without a filter, the table is counted from anywhere.
	filtered := f.Status != "" && len(f.Customer) == 0 && f.Serial == ""
	inOrder := (filtered || !f.Date.IsZero()) && f.EntityID == uuid.Nil && !within.OnePoint() && !f.indexed()
	q, err := s.selected(ctx, within, below, &f, inOrder)
	if err != nil {
		return nil, 0, err
	}
	columns := []string{"id"}
	if !f.Date.IsZero() { // ordered by id alone, the planner would scan the primary key from its end down to the day
		columns = []string{"created_at", "id"}
	}
	order := strings.Join(columns, ", ")
	if !f.Oldest {
		order = strings.Join(columns, " DESC, ") + " DESC"
	}
	rows, total, err := storage.FindKeyed[models.Ticket](q, order, storage.Page{Limit: f.Limit, Offset: f.Offset, Counted: f.Counted, InOrder: inOrder, Whole: s.ofRecentDay(&f)})
	if err != nil {
		return nil, 0, fmt.Errorf("list tickets: %w", err)
	}
	list, err := s.withLines(ctx, rows)
	if err == nil && total == 0 && f.Serial != "" && f.Date.IsZero() && len(f.Customer) == 0 { // days that can be listed have no archived ticket
		list, err = s.listArchived(ctx, by, &f)
		total = int64(len(list))
	}
	for i := range list {
		Redact(by, &list[i])
	}
	return list, total, err
}

// selected returns the statement that selects the tickets of a filter. One that reads the index of the days in its order has no bounds of
// the ids: the planner takes them for a second condition, expects too few tickets, and sorts all of the day.
func (s *Service) selected(ctx context.Context, within, below org.Within, f *Filter, inOrder bool) (*gorm.DB, error) {
	q := s.PG.Gorm.WithContext(ctx).Model(&models.Ticket{}).Where(within.SQL("entity_id", "", "?"), within.Value())
	if f.EntityID != uuid.Nil {
		q = q.Where("entity_id = ?", f.EntityID)
	}
	if f.Below != uuid.Nil {
		q = q.Where(below.SQL("entity_id", "", "?"), below.Value())
	}
	switch f.Status {
	case "":
	case models.TicketCancelled: // the same tickets, which an index has
		q = q.Where("cancelled_at IS NOT NULL")
	default:
		q = q.Where("status = ?", f.Status)
	}
	if f.Serial != "" {
		q = q.Where("serial_code = ?", f.Serial)
	}
	if len(f.Customer) > 0 {
		q = q.Where("customer_id IN ?", f.Customer)
	}
	if !f.Date.IsZero() {
		from, to := f.Date.Bounds(s.Options.Zone)
		if err := months.RequireKept(ctx, s.PG.Pool, from, to); err != nil {
			return nil, err
		}
		if q = s.soldWithin(q, f, from, to); !inOrder {
			q = identifiedWithin(q, from, to)
		}
	}
	if f.Total != "" && !f.Date.IsZero() {
		return s.ofTotal(ctx, q, f.Total)
	}
	return q, nil
}

// indexed reports whether an index has the tickets of the state.
func (f *Filter) indexed() bool {
	return slices.Contains([]string{models.TicketWon, models.TicketPaid, models.TicketCancelled}, f.Status)
}

// recent is for how long the tickets that were settled or cancelled since a day are few.
const recent = 7 * 24 * time.Hour

// ofRecentDay reports whether Postgres reads the tickets of the filter from the index of their state, all of them and in no order.
func (s *Service) ofRecentDay(f *Filter) bool {
	if f.Date.IsZero() || !f.indexed() {
		return false
	}
	from, _ := f.Date.Bounds(s.Options.Zone)
	return s.Clock.Now().Sub(from) < recent
}

// soldWithin adds the condition that a ticket was sold from an instant until another one. Tickets are settled and
// cancelled after their sale, and indexes have those few that won or were cancelled. Of recent days Postgres reads
// such an index alone: it cannot use the index of the days for a sum.
func (s *Service) soldWithin(q *gorm.DB, f *Filter, from, to time.Time) *gorm.DB {
	switch f.Status {
	case models.TicketWon, models.TicketPaid:
		q = q.Where("settled_at >= ? OR settled_at IS NULL", from) // a paid ticket waits again if a correction opened its draw, and is won if the payment is taken back
	case models.TicketCancelled:
		q = q.Where("cancelled_at >= ?", from)
	}
	sold := "created_at"
	if s.ofRecentDay(f) {
		sold = "created_at + interval '0'"
	}
	return q.Where(sold+" >= ? AND "+sold+" < ?", from, to)
}

// maxClockSkew bounds the difference between the timestamp of a ticket id and created_at. Before release 0.4, ids
// followed the clock of the machine.
const maxClockSkew = 24 * time.Hour

// firstSale is an instant before all sales. The ids of seeded tickets are of earlier instants.
func firstSale() time.Time { return time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC) }

// identifiedWithin adds the bounds of the ids of tickets sold in a period: the index of a seller and the partitions
// are by id.
func identifiedWithin(q *gorm.DB, from, to time.Time) *gorm.DB {
	return q.Where(
		"(id >= ? AND id < ? OR id < ?)", storage.FirstID(from.Add(-maxClockSkew)),
		storage.FirstID(to.Add(maxClockSkew)), storage.FirstID(firstSale()),
	)
}

// narrow returns the condition of f.Below, which is checked; a ticket point becomes the seller. Errors:
// org.ErrEntityNotFound.
func (s *Service) narrow(ctx context.Context, by caller.Caller, f *Filter) (below org.Within, err error) {
	if f.Below == uuid.Nil {
		return below, nil
	}
	chain, err := s.Org.Chain(ctx, f.Below)
	switch {
	case err != nil:
		return below, err
	case !by.Scope.Contains(chain.Path()):
		return below, org.ErrEntityNotFound
	case f.EntityID == uuid.Nil && chain.Self().Type == models.EntityTicketPoint:
		f.EntityID, f.Below = f.Below, uuid.Nil
		return below, nil
	}
	return s.Org.Listed(ctx, org.Below(chain.Path()))
}

// ofTotal adds the condition on the total. Errors: money.ErrAmount.
func (s *Service) ofTotal(ctx context.Context, q *gorm.DB, typed string) (*gorm.DB, error) {
	currencies, err := s.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	none := s.PG.Gorm.Session(&gorm.Session{NewDB: true})
	in := none
	for i := range currencies {
		if total, err := money.Parse(typed, currencies[i].Digits); err == nil { // else it has more decimals than the currency
			in = in.Or("currency_id = ? AND total = ?", currencies[i].ID, int64(total))
		}
	}
	if in == none {
		return nil, money.ErrAmount
	}
	return q.Where(in), nil
}
