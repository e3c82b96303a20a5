package bank

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Statement is an imported bank statement, compared with the notified payments.
type Statement struct {
	ID          uuid.UUID
	From, To    businessday.Day
	Lines       int // credits
	Skipped     int // lines that are not credits
	Matched     int64
	MissingHere int64 // credits of the statement without a payment
	MissingBank int64 // payments without a credit in the statement
	Sums        StatementSums
	CreatedAt   time.Time
}

// StatementSums are the amounts of the lines that a statement counts.
type StatementSums struct{ Lines, Matched, MissingHere, MissingBank money.Amount }

// Difference is a credit without a payment, or a payment without a credit.
type Difference struct {
	LineNo    int       // of the credit in the statement; 0 for a payment
	PaymentID uuid.UUID // Nil for a credit
	Date      businessday.Day
	Bank      string // code
	BankName  string
	Reference string
	Amount    money.Amount
	State     string // of the payment
}

// Sides of a comparison.
const (
	SideBank  = "bank"  // credits without a payment
	SideBanca = "banca" // payments without a credit
)

// matchesLine joins a line of a statement with its payment. Amount and bank are equal; the bank counts only if the
// statement has it. References are compared without leading zeros, because spreadsheets drop them. Dates are at most a
// day apart, because banks book late payments on the next day.
const matchesLine = `p.amount = l.amount AND ltrim(p.reference, '0') = ltrim(l.reference, '0') AND (l.bank_code IS NULL OR l.bank_code = p.bank_code)
	AND p.local_date BETWEEN l.local_date - 1 AND l.local_date + 1`

// notRefunded selects the payments whose amount is still in the bank account.
const notRefunded = `p.state <> 'refunded'`

// ImportStatement imports a statement of the operator's account. A file cannot be imported twice. Errors: ErrStatement,
// ErrStatementKnown, ErrOperatorOnly.
func (s *Service) ImportStatement(ctx context.Context, by caller.Caller, raw []byte) (imported *Statement, err error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	lines, skipped, err := parseStatement(raw, s.Options.Zone)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, ErrStatement
	}
	digest := sha256.Sum256(raw)
	row := models.BankStatement{
		ID: uuid.Must(uuid.NewV7()), Digest: digest[:], FromDate: lines[0].date, ToDate: lines[0].date, Lines: len(lines), Skipped: skipped,
		ImportedBy: by.UserID, CreatedAt: s.Clock.Now(),
	}
	records := make([][]any, len(lines))
	for i, l := range lines {
		if l.date.Before(row.FromDate) {
			row.FromDate = l.date
		}
		if l.date.After(row.ToDate) {
			row.ToDate = l.date
		}
		var bank *string
		if l.bank != "" {
			bank = &l.bank
		}
		records[i] = []any{row.ID, l.number, l.date, bank, l.reference, int64(l.amount)}
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO bank_statements (id, digest, from_date, to_date, lines, skipped, imported_by, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, row.ID, row.Digest, row.FromDate, row.ToDate, row.Lines, row.Skipped, row.ImportedBy, row.CreatedAt)
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"bank_statement_lines"},
			[]string{"statement_id", "line_no", "local_date", "bank_code", "reference", "amount"}, pgx.CopyFromRows(records))
		if err != nil {
			return err
		}
		if imported, err = statementOf(ctx, tx, &row); err != nil {
			return err
		}
		return recordTx(ctx, tx, by, activity.BankStatementsImport, row.ID.String(), map[string]any{
			"from": row.FromDate, "to": row.ToDate, "lines": row.Lines, "skipped": row.Skipped,
		})
	})
	if storage.Violates(err, "bank_statements_digest_key") {
		return nil, ErrStatementKnown
	}
	if err != nil {
		return nil, fmt.Errorf("import statement: %w", err)
	}
	return imported, nil
}

// Statements returns a page of the imported statements, newest first, and the number of all. Errors: ErrOperatorOnly.
func (s *Service) Statements(ctx context.Context, by caller.Caller, limit, offset int) ([]Statement, int64, error) {
	if err := requireOperator(by); err != nil {
		return nil, 0, err
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.BankStatement{})
	rows, total, err := storage.Find[models.BankStatement](q, "id DESC", limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list statements: %w", err)
	}
	list := make([]Statement, len(rows))
	for i := range rows {
		st, err := statementOf(ctx, s.PG.Pool, &rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *st
	}
	return list, total, nil
}

// Statement returns one statement. Errors: ErrStatementNotFound, ErrOperatorOnly.
func (s *Service) Statement(ctx context.Context, by caller.Caller, id uuid.UUID) (*Statement, error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	var row models.BankStatement
	err := s.PG.Gorm.WithContext(ctx).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrStatementNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load statement: %w", err)
	}
	return statementOf(ctx, s.PG.Pool, &row)
}

// missingHere and missingBank select the two kinds of differences of the statement $1.
const (
	missingHere = `FROM bank_statement_lines l WHERE l.statement_id = $1 AND NOT EXISTS (SELECT 1 FROM bank_payments p
		WHERE p.local_date >= (SELECT from_date - 1 FROM bank_statements WHERE id = $1)
			AND p.local_date <= (SELECT to_date + 1 FROM bank_statements WHERE id = $1)
			AND ` + notRefunded + ` AND ` + matchesLine + `)`
	missingBank = `FROM bank_statements st JOIN bank_payments p ON p.local_date BETWEEN st.from_date AND st.to_date AND ` + notRefunded + `
		WHERE st.id = $1 AND p.state <> 'conflict'
		AND NOT EXISTS (SELECT 1 FROM bank_statement_lines l WHERE l.statement_id = st.id AND ` + matchesLine + `)`
)

// statementOf returns a statement with the current counts and sums of its comparison.
func statementOf(ctx context.Context, q storage.RowQuerier, row *models.BankStatement) (*Statement, error) {
	st := &Statement{ID: row.ID, From: row.FromDate, To: row.ToDate, Lines: row.Lines, Skipped: row.Skipped, CreatedAt: row.CreatedAt.UTC()}
	sums := &st.Sums
	err := q.QueryRow(ctx, `SELECT h.*, b.*, (SELECT coalesce(sum(amount), 0)::bigint FROM bank_statement_lines WHERE statement_id = $1) FROM
		(SELECT count(*), coalesce(sum(l.amount), 0)::bigint `+missingHere+`) h, (SELECT count(*), coalesce(sum(p.amount), 0)::bigint `+missingBank+`) b`, row.ID).
		Scan(&st.MissingHere, &sums.MissingHere, &st.MissingBank, &sums.MissingBank, &sums.Lines)
	if err != nil {
		return nil, fmt.Errorf("compare statement: %w", err)
	}
	st.Matched, sums.Matched = int64(st.Lines)-st.MissingHere, sums.Lines-sums.MissingHere
	return st, nil
}

// Differences returns a page of the differences of a statement on one side, and the number of all. Errors:
// ErrStatementNotFound, ErrOperatorOnly.
func (s *Service) Differences(ctx context.Context, by caller.Caller, id uuid.UUID, side string, limit, offset int) ([]Difference, int64, error) {
	st, err := s.Statement(ctx, by, id)
	if err != nil {
		return nil, 0, err
	}
	total := st.MissingHere
	if side == SideBanca {
		total = st.MissingBank
	}
	list, err := s.differences(ctx, id, side, limit, offset)
	return list, total, err
}

// Comparison is a statement with the first differences of both sides.
type Comparison struct {
	Statement

	Currency    ledger.Currency
	Here, There []Difference // credits of the bank without a payment; payments without a credit
}

// Compare returns a statement with at most limit differences of each side. Errors: ErrStatementNotFound, ErrOperatorOnly.
func (s *Service) Compare(ctx context.Context, by caller.Caller, id uuid.UUID, limit int) (*Comparison, error) {
	st, err := s.Statement(ctx, by, id)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Statement: *st}
	if c.Here, err = s.differences(ctx, id, SideBank, limit, 0); err != nil {
		return nil, err
	}
	if c.There, err = s.differences(ctx, id, SideBanca, limit, 0); err != nil {
		return nil, err
	}
	c.Currency, err = s.Currency(ctx)
	return c, err
}

func (s *Service) differences(ctx context.Context, id uuid.UUID, side string, limit, offset int) ([]Difference, error) {
	query := `SELECT l.line_no, $4::uuid, l.local_date, coalesce(l.bank_code, ''), l.reference, l.amount, '' ` + missingHere + ` ORDER BY l.line_no`
	if side == SideBanca {
		query = `SELECT 0, p.id, p.local_date, p.bank_code, p.reference, p.amount, p.state ` + missingBank + ` AND $4::uuid IS NOT NULL ORDER BY p.received_at, p.id`
	}
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, err
	}
	return storage.Collect(ctx, s.PG.Pool, "differences of statement", func(row pgx.CollectableRow) (d Difference, err error) {
		err = row.Scan(&d.LineNo, &d.PaymentID, &d.Date, &d.Bank, &d.Reference, &d.Amount, &d.State)
		d.BankName = name(d.Bank)
		return d, err
	}, query+` LIMIT $2 OFFSET $3`, id, limit, offset, uuid.Nil)
}
