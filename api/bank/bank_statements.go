package bank

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

const statementsPath = "/bank/statements"

// Uploads are the routes that take a file, with the bytes of a body that are read.
func Uploads() map[string]int64 { return map[string]int64{statementsPath: kit.MaxUpload + 1} }

func (o *operations) registerBankStatements() {
	tags := []string{"Bank"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "import-bank-statement", Method: http.MethodPost, Path: statementsPath, Tags: tags,
		MaxBodyBytes: kit.MaxUpload + 1,
		Summary:      "Import a statement of the operator's account (CSV) and compare it with what the bank notified",
		Description:  "A heading with date (fecha), reference (referencia), amount (monto) and, where there is one, bank (banco); commas or semicolons. Lines without a credit are skipped.",
	}, kit.Can(auth.BankWrite), o.importStatement,
		bank.ErrField, bank.ErrOperatorOnly, bank.ErrStatement, bank.ErrStatementKnown, money.ErrAmount)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-bank-statements", Method: http.MethodGet, Path: statementsPath, Tags: tags,
		Summary: "Imported statements, newest first",
	}, kit.Can(auth.BankRead), o.listStatements, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-bank-statement", Method: http.MethodGet, Path: "/bank/statements/{id}", Tags: tags,
		Summary: "One statement, compared as things are now",
	}, kit.Can(auth.BankRead), o.getStatement, bank.ErrOperatorOnly, bank.ErrStatementNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-bank-statement-differences", Method: http.MethodGet,
		Path: "/bank/statements/{id}/differences", Tags: tags,
		Summary: "What only one side has: side=bank is missing here, side=banca is missing there",
	}, kit.Can(auth.BankRead), o.listDifferences, bank.ErrOperatorOnly, bank.ErrStatementNotFound)
}

type bankStatement struct {
	ID          uuid.UUID `json:"id"`
	From        string    `json:"from" format:"date"`
	To          string    `json:"to" format:"date"`
	Lines       int       `json:"lines" doc:"credits"`
	Skipped     int       `json:"skipped" doc:"lines that are no credits"`
	Matched     int64     `json:"matched"`
	MissingHere int64     `json:"missing_here" doc:"the bank has them and we do not"`
	MissingBank int64     `json:"missing_at_bank" doc:"we have them and the statement does not"`
	CreatedAt   time.Time `json:"created_at"`
}

type bankDifference struct {
	LineNo    *int        `json:"line_no" doc:"of the statement"`
	PaymentID *uuid.UUID  `json:"payment_id" doc:"of ours"`
	Date      string      `json:"date" format:"date"`
	Bank      *string     `json:"bank"`
	Reference string      `json:"reference"`
	Amount    kit.Decimal `json:"amount"`
	State     *string     `json:"state"`
}

type statementInput struct {
	RawBody []byte `contentType:"text/csv"`
}

func (o *operations) importStatement(
	ctx context.Context, by caller.Caller, in *statementInput,
) (*kit.Created[bankStatement], error) {
	st, err := o.bank.ImportStatement(ctx, by, in.RawBody)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(statementBody(*st), o.BasePath+"/bank/statements/"+st.ID.String()), nil
}

func (o *operations) listStatements(
	ctx context.Context, by caller.Caller, in *struct{ kit.PageParams },
) (*kit.List[bankStatement], error) {
	return kit.ListFrom(statementBody, &in.PageParams)(o.bank.Statements(ctx, by, in.PageSize, in.Offset()))
}

func (o *operations) getStatement(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[bankStatement], error) {
	return kit.DataFrom(statementBody)(o.bank.Statement(ctx, by, in.ID))
}

type differencesInput struct {
	kit.PageParams
	kit.ByID
	Side string `query:"side" enum:"bank,banca" default:"bank"`
}

func (o *operations) listDifferences(
	ctx context.Context, by caller.Caller, in *differencesInput,
) (*kit.List[bankDifference], error) {
	differences, total, err := o.bank.Differences(ctx, by, in.ID, in.Side, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(differences, func(d bank.Difference) bankDifference {
		return bankDifference{
			LineNo: kit.Optional(d.LineNo), PaymentID: kit.Optional(d.PaymentID), Date: d.Date.String(),
			Bank: kit.Optional(d.Bank), Reference: d.Reference,
			Amount: kit.DecimalOf(d.Amount, bank.AmountDigits), State: kit.Optional(d.State),
		}
	}), &in.PageParams, total), nil
}

func statementBody(s bank.Statement) bankStatement {
	return bankStatement{
		ID: s.ID, From: s.From.String(), To: s.To.String(), Lines: s.Lines, Skipped: s.Skipped, Matched: s.Matched,
		MissingHere: s.MissingHere, MissingBank: s.MissingBank, CreatedAt: s.CreatedAt,
	}
}
