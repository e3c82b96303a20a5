package org

import (
	"encoding/json"
	"fmt"

	"banca/internal/platform/money"
)

// Values of settings that no entity of a chain sets.
const (
	defaultSaleStopSeconds  = 5 * 60
	defaultCancelSeconds    = 5 * 60
	defaultCancelsPerDay    = 20
	defaultPrizeExpiryHours = 3 * 24
)

// Finance is the decoded finance_info of one entity.
type Finance struct {
	Commissions   []CommissionRule `json:"commissions,omitempty"`
	MobilePayment *MobilePayment   `json:"mobile_payment,omitempty"` // nil means inherited
	TopUp         *TopUp           `json:"top_up,omitempty"`         // nil means inherited
	Participation *Participation   `json:"participation,omitempty"`  // nil means inherited
}

// Participation is the share of an entity in the result of its subtree, including the shares of its descendants, and how
// the losses of a week are treated.
type Participation struct {
	Percent string `json:"percent"`                                 // decimal with at most two decimals
	Mode    string `json:"mode,omitempty" enum:"CARRY,SHARED,NONE"` // "" means CARRY
}

// CommissionRule grants a percentage of net sales; an empty category or bet type means any.
type CommissionRule struct {
	Category string `json:"category,omitempty"`
	BetType  string `json:"bet_type,omitempty"`
	Percent  string `json:"percent"` // decimal with at most two decimals, such as "12.50"

	rate money.BasisPoints
}

// Commission returns the most specific rate that the entity itself sets, and whether it sets one.
func (f Finance) Commission(category, betType string) (money.BasisPoints, bool) {
	best, rate := -1, money.BasisPoints(0)
	for _, r := range f.Commissions {
		if (r.Category != "" && r.Category != category) || (r.BetType != "" && r.BetType != betType) {
			continue
		}
		score := 0
		if r.Category != "" {
			score++
		}
		if r.BetType != "" {
			score += 2
		}
		if score > best {
			best, rate = score, r.rate
		}
	}
	return rate, best >= 0
}

// Config is the decoded config_info of one entity; nil means inherited.
type Config struct {
	SaleStopSeconds  *int `json:"sale_stop_seconds,omitempty"`
	CancelSeconds    *int `json:"cancel_seconds,omitempty"`
	CancelsPerDay    *int `json:"cancels_per_day,omitempty"`
	PrizeExpiryHours *int `json:"prize_expiry_hours,omitempty"`
	AssistantTokens  *int `json:"assistant_tokens,omitempty"` // of AI models, of the entity's users in a business day

	// Amounts, in whole units of the currency of the sale, above which a point of sale asks once, in words. No entity need set them.
	ConfirmLineAbove   *int `json:"confirm_line_above,omitempty"`
	ConfirmTicketAbove *int `json:"confirm_ticket_above,omitempty"`

	BlindCount *bool `json:"blind_count,omitempty"` // the drawer is counted before its cashiers see what is expected
}

// PrintInfo is the decoded print_info of one entity: the texts of its receipts above and below the lines, and when the picture
// of a ticket without a customer is stored: at its sale, or when the ticket is first read alone.
type PrintInfo struct {
	Title    string   `json:"title,omitempty"`
	Subtitle string   `json:"subtitle,omitempty"`
	Header   []string `json:"header,omitempty"`
	Footer   []string `json:"footer,omitempty"`

	PictureAtSale *bool `json:"picture_at_sale,omitempty"` // nil means inherited

	Logo string `json:"-"` // object of the newest logo among the documents; only in a Chain
}

func (p *PrintInfo) fillFrom(parent PrintInfo) {
	if p.Title == "" {
		p.Title = parent.Title
	}
	if p.Subtitle == "" {
		p.Subtitle = parent.Subtitle
	}
	if p.Logo == "" {
		p.Logo = parent.Logo
	}
	if p.Header == nil {
		p.Header = parent.Header
	}
	if p.Footer == nil {
		p.Footer = parent.Footer
	}
}

func decodeFinance(raw []byte) (Finance, error) {
	var f Finance
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("finance_info: %w", err)
	}
	for i := range f.Commissions {
		rate, err := parsePercent(f.Commissions[i].Percent)
		if err != nil {
			return f, fmt.Errorf("finance_info.commissions[%d].percent: %w", i, err)
		}
		f.Commissions[i].rate = rate
	}
	return f, nil
}

// parsePercent parses "0" to "100" with at most two decimals.
func parsePercent(text string) (money.BasisPoints, error) {
	bps, err := money.ParseOrZero(text, 2)
	if err != nil {
		return 0, fmt.Errorf("percentage: %w", err)
	}
	if bps > money.Amount(money.FullRate) {
		return 0, fmt.Errorf("percentage above 100: %w", money.ErrAmount)
	}
	return money.BasisPoints(bps), nil
}
