package org

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/money"
	"banca/models"
)

// Node is one entity of a chain with its own settings, without inherited ones.
type Node struct {
	ID      uuid.UUID
	Path    string // of ids, from the root: /01900000-.../01900000-.../
	PathID  int32  // of the path in entity_paths
	No      int    // short number, used in risk counts
	Type    string
	Name    string
	Code    string
	Status  string
	Finance Finance
	Config  Config
	Print   PrintInfo

	Messaging MessagingSettings
	Phone     string // of the contact, as entered; not inherited
	Address   string // street and city, as entered; not inherited
}

// Chain is an entity with its ancestors, root first; the last node is the entity itself.
type Chain []Node

// Self returns the last node: the entity itself.
func (c Chain) Self() Node { return c[len(c)-1] }

// Path returns the materialised path of the entity, or "" for an empty chain.
func (c Chain) Path() string {
	if len(c) == 0 {
		return ""
	}
	return c[len(c)-1].Path
}

// Active reports whether the entity and all its ancestors are active.
func (c Chain) Active() bool {
	for i := range c {
		if c[i].Status != models.StatusActive {
			return false
		}
	}
	return true
}

// CommissionRates returns the rates granted on a category and bet type to each entity, from the root's child down to
// the entity itself. The rate of an entity includes the rates of its descendants. A missing rate is inherited from
// the parent. A rate above the parent's is reduced to it, so that no margin is negative.
func (c Chain) CommissionRates(category, betType string) []money.BasisPoints {
	if len(c) < 2 {
		return nil
	}
	rates := make([]money.BasisPoints, len(c)-1)
	granted := money.BasisPoints(0)
	for i := range rates {
		own, found := c[i+1].Finance.Commission(category, betType)
		switch {
		case i == 0:
			granted = own
		case found:
			granted = min(granted, own)
		}
		rates[i] = granted
	}
	return rates
}

// SaleStop returns how long before a draw the sales stop, if neither the draw nor the game sets a stop.
func (c Chain) SaleStop() time.Duration {
	return time.Duration(inherited(c, func(n *Node) *int { return n.Config.SaleStopSeconds }, defaultSaleStopSeconds)) * time.Second
}

// CancelWindow returns how long after its sale a ticket may be cancelled.
func (c Chain) CancelWindow() time.Duration {
	return time.Duration(inherited(c, func(n *Node) *int { return n.Config.CancelSeconds }, defaultCancelSeconds)) * time.Second
}

// CancelsPerDay returns how many tickets a ticket point may cancel in one business day.
func (c Chain) CancelsPerDay() int {
	return inherited(c, func(n *Node) *int { return n.Config.CancelsPerDay }, defaultCancelsPerDay)
}

// PrizeExpiry returns how long after its last draw a ticket's prize can be claimed.
func (c Chain) PrizeExpiry() time.Duration {
	return time.Duration(inherited(c, func(n *Node) *int { return n.Config.PrizeExpiryHours }, defaultPrizeExpiryHours)) * time.Hour
}

// Confirmed are the amounts, in whole units of the currency of a sale, above which a point of sale asks once; nil for never.
type Confirmed struct{ Line, Ticket *int }

// Confirmed returns the amounts above which the entity's points of sale ask.
func (c Chain) Confirmed() (above Confirmed) {
	for i := range c {
		config := &c[i].Config
		above = Confirmed{Line: cmp.Or(config.ConfirmLineAbove, above.Line), Ticket: cmp.Or(config.ConfirmTicketAbove, above.Ticket)}
	}
	return above
}

// BlindCount reports whether the users of a ticket point count the drawer before they see what is expected. A missing setting is inherited.
func (c Chain) BlindCount() bool {
	return inherited(c, func(n *Node) *bool { return n.Config.BlindCount }, false)
}

// AssistantTokens returns how many tokens of AI models the users of the entity may use on a business day. The
// operator's own value takes the place of fallback. Below it a value counts only if it is lower than the inherited
// one, because the operator pays.
func (c Chain) AssistantTokens(fallback int64) int64 {
	most := fallback
	for i := range c {
		if own := c[i].Config.AssistantTokens; own != nil && (i == 0 || int64(*own) < most) {
			most = int64(*own)
		}
	}
	return most
}

// Printing returns the texts of the entity's receipts. Missing texts are inherited.
func (c Chain) Printing() PrintInfo {
	var p PrintInfo
	for _, node := range slices.Backward(c) {
		p.fillFrom(node.Print)
	}
	if p.Title == "" {
		p.Title = c.Self().Name
	}
	return p
}

// PictureAtSale reports whether the picture of a ticket without a customer is stored at its sale. A missing setting is inherited.
func (c Chain) PictureAtSale() bool {
	return inherited(c, func(n *Node) *bool { return n.Print.PictureAtSale }, true)
}

// Messaging returns the settings of the entity's messages. Missing ones are inherited.
func (c Chain) Messaging() MessagingSettings {
	var m MessagingSettings
	for i := range slices.Backward(c) {
		m.fillFrom(&c[i].Messaging)
	}
	return m
}

// inherited returns the value set by the entity or else by its nearest ancestor, or fallback if none sets it.
func inherited[T any](c Chain, get func(*Node) *T, fallback T) T {
	for i := range slices.Backward(c) {
		if v := get(&c[i]); v != nil {
			return *v
		}
	}
	return fallback
}
