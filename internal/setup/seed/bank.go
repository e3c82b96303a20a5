package seed

import (
	"github.com/jackc/pgx/v5"
)

// Where the seeded operator is paid, and the tax ids of two seeded entities, as tests and guides refer to them.
const (
	MerchantPhone    = "04141112233"
	OperatorDocument = "J-40123456-7"
	PointDocument    = "V-12345678"
	PointPhone       = "04145556677"
)

// queueBanks fills the tables of issuing banks and network codes.
func queueBanks(b *pgx.Batch) error {
	banks, err := readCSV("data/banks.csv")
	if err != nil {
		return err
	}
	for _, l := range banks {
		b.Queue(`INSERT INTO banks (code, name, status) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, l[0], l[1], l[2])
	}
	codes, err := readCSV("data/network_codes.csv")
	if err != nil {
		return err
	}
	for _, l := range codes {
		b.Queue(`INSERT INTO network_codes (code, meaning) VALUES ($1, $2) ON CONFLICT DO NOTHING`, l[0], l[1])
	}
	return nil
}

// paymentInfo sets the operator's payment settings in finance_info, which all entities inherit.
func paymentInfo(finance map[string]any) {
	finance["mobile_payment"] = map[string]string{"bank": "0134", "phone": MerchantPhone, "id_document": OperatorDocument}
	finance["top_up"] = map[string]string{"min": "1.00", "max": "1000000.00"}
}

// identityOf returns the legal identity and telephone of a seeded entity; empty for most.
func identityOf(code string) (legal, contact map[string]any) {
	switch code {
	case CodeOperator:
		return map[string]any{"tax_id": OperatorDocument}, map[string]any{"phone": MerchantPhone}
	case CodeTicketPoint:
		return map[string]any{"tax_id": PointDocument}, map[string]any{"phone": PointPhone}
	default:
		return map[string]any{}, map[string]any{}
	}
}
