package ledger_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

// Each kind of damage, done behind every trigger's back, is counted by the check made for it.
func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ check, damage string }{
		{"every transaction's postings sum to zero", `UPDATE postings SET amount = amount + 1 WHERE wallet_id = $1`},
		{"every posting has its transaction", `DELETE FROM transactions WHERE id IN (SELECT transaction_id FROM postings WHERE wallet_id = $1)`},
		{"every transaction has postings", `DELETE FROM postings WHERE transaction_id IN (SELECT transaction_id FROM postings WHERE wallet_id = $1)`},
		{"every posting is on a wallet of the transaction's currency", `UPDATE transactions SET currency_id = gen_random_uuid() WHERE $1::uuid IS NOT NULL`},
		{"every posting is on a wallet of the transaction's currency", `UPDATE postings SET wallet_id = gen_random_uuid() WHERE wallet_id = $1`},
		{"every balance with its pending part equals the wallet's postings", `UPDATE wallets SET balance = balance + 1 WHERE id = $1`},
		{"every balance with its pending part equals the wallet's postings", `UPDATE pending_balances SET amount = amount + 1 WHERE $1::uuid IS NOT NULL`},
		{"every balance with its pending part equals the wallet's postings", `INSERT INTO pending_balances VALUES ($1, 5)`},
		{"the balances of a currency sum to zero", `UPDATE wallets SET balance = balance - 1 WHERE id = $1`},
		{"every undo mirrors what it reverses", `UPDATE transactions SET amount = amount - 1 WHERE reverses_id IS NOT NULL AND $1::uuid IS NOT NULL`},
		{"every undo mirrors what it reverses", `UPDATE transactions SET type = 'prize' WHERE reverses_id IS NOT NULL AND $1::uuid IS NOT NULL`},
		{"every undo mirrors what it reverses", `UPDATE transactions SET reverses_id = gen_random_uuid() WHERE reverses_id IS NOT NULL AND $1::uuid IS NOT NULL`},
		{"every undo mirrors what it reverses", `INSERT INTO postings (transaction_id, wallet_id, amount, direct)
			SELECT t.id, w.id, 7, false FROM transactions t, wallets w WHERE t.reverses_id IS NOT NULL AND w.id <> $1
				AND NOT EXISTS (SELECT 1 FROM postings p WHERE p.transaction_id = t.id AND p.wallet_id = w.id) LIMIT 1`},
	} {
		t.Run(tt.check, func(t *testing.T) {
			t.Parallel()
			b := setup(t, 3)
			sale := b.transfer(map[int]money.Amount{1: -5_00, 0: 5_00})
			require.NoError(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -3_00, 0: 2_00, 2: 1_00}), sale))
			require.NoError(t, b.post(t.Context(), []int{1}, sale.Reverse(b.entity, sale.At)))
			b.requireSound(t)
			require.NoError(t, b.pg.InTx(t.Context(), func(tx pgx.Tx) error {
				if _, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica`); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), tt.damage, b.wallets[1])
				return err
			}))
			require.Positive(t, b.broken(t)[tt.check], tt.damage)
		})
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	byCode, err := b.Currency(t.Context(), "VES")
	require.NoError(t, err)
	byID, err := b.Currency(t.Context(), b.currency.String())
	require.NoError(t, err)
	require.Equal(t, byCode, byID)
	for _, unknown := range []string{"", "ves", "USD", "VESX", "V\x00S", "\xff\xff\xff", "00000000-0000-7000-8000-000000000000"} {
		_, err := b.Currency(t.Context(), unknown)
		require.ErrorContains(t, err, "CURRENCY_NOT_FOUND", "%q", unknown)
	}
}
