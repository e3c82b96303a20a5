package web

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/web/kit"
)

// frame is what surrounds the pages of the panel: a bar and the menu.
type frame struct {
	entities *org.Service
	badges   *badges
	version  string
}

// frameData is what the layout shows.
type frameData struct {
	Entity string // the user's
	Today  businessday.Day
	Menu   []kit.MenuArea
	Asks   bool // the user may ask the assistant

	Version string // of the program
}

// menuAreas are the areas of the menu in their order.
func menuAreas() []string {
	return []string{"nav.today", "nav.sales", "nav.draws", "nav.money", "nav.organisation", "nav.bank", "nav.messages", "nav.system"}
}

func (f *frame) data(r *kit.Request) any {
	if r.Caller.Role == "" {
		return &frameData{}
	}
	return &frameData{
		Entity: kit.EntityName(r, r.Caller.EntityID), Today: r.Today(), Menu: kit.Menu(r, f.badges.counts(r)), Asks: r.MayOpen(assistantPath), Version: f.version,
	}
}

// entityNames returns the names of entities. On an error the page omits them.
func (f *frame) entityNames(ctx context.Context, ids []uuid.UUID) map[uuid.UUID]string {
	names, err := f.entities.Names(ctx, ids)
	if err != nil {
		return nil
	}
	return names
}
