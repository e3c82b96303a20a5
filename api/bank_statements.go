package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/bank"
)

const statementsPath = "/bank/statements"

func (a *API) registerBankStatements() {
	tags := []string{"Bank"}
	handle(a, huma.Operation{
		OperationID: "import-bank-statement", Method: http.MethodPost, Path: statementsPath, Tags: tags, MaxBodyBytes: maxUpload + 1,
		Summary:     "Import a statement of the operator's account (CSV) and compare it with what the bank notified",
		Description: "A heading with date (fecha), reference (referencia), amount (monto) and, where there is one, bank (banco); commas or semicolons. Lines without a credit are skipped.",
	}, Can(auth.BankWrite), a.importStatement)
	handle(a, huma.Operation{
		OperationID: "list-bank-statements", Method: http.MethodGet, Path: statementsPath, Tags: tags, Summary: "Imported statements, newest first",
	}, Can(auth.BankRead), a.listStatements)
	handle(a, huma.Operation{
		OperationID: "get-bank-statement", Method: http.MethodGet, Path: "/bank/statements/{id}", Tags: tags, Summary: "One statement, compared as things are now",
	}, Can(auth.BankRead), a.getStatement)
	handle(a, huma.Operation{
		OperationID: "list-bank-statement-differences", Method: http.MethodGet, Path: "/bank/statements/{id}/differences", Tags: tags,
		Summary: "What only one side has: side=bank is missing here, side=banca is missing there",
	}, Can(auth.BankRead), a.listDifferences)
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
	LineNo    *int       `json:"line_no" doc:"of the statement"`
	PaymentID *uuid.UUID `json:"payment_id" doc:"of ours"`
	Date      string     `json:"date" format:"date"`
	Bank      *string    `json:"bank"`
	Reference string     `json:"reference"`
	Amount    Decimal    `json:"amount"`
	State     *string    `json:"state"`
}

type statementInput struct {
	RawBody []byte `contentType:"text/csv"`
}

func (a *API) importStatement(ctx context.Context, in *statementInput) (*Created[bankStatement], error) {
	st, err := a.deps.Bank.ImportStatement(ctx, callerOf(ctx), in.RawBody)
	if err != nil {
		return nil, err
	}
	return created(statementBody(*st), a.deps.BasePath+"/bank/statements/"+st.ID.String()), nil
}

func (a *API) listStatements(ctx context.Context, in *struct{ PageParams }) (*List[bankStatement], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	statements, total, err := a.deps.Bank.Statements(ctx, scope, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return list(mapped(statements, statementBody), &in.PageParams, total), nil
}

func (a *API) getStatement(ctx context.Context, in *BankParams) (*Data[bankStatement], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	st, err := a.deps.Bank.Statement(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(statementBody(*st)), nil
}

type differencesInput struct {
	PageParams
	BankParams
	Side string `query:"side" enum:"bank,banca" default:"bank"`
}

func (a *API) listDifferences(ctx context.Context, in *differencesInput) (*List[bankDifference], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	differences, total, err := a.deps.Bank.Differences(ctx, scope, in.ID, in.Side, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return list(mapped(differences, func(d bank.Difference) bankDifference {
		return bankDifference{
			LineNo: given(d.LineNo), PaymentID: given(d.PaymentID), Date: d.Date.Format(time.DateOnly), Bank: given(d.Bank), Reference: d.Reference,
			Amount: decimal(d.Amount, bank.AmountDigits), State: given(d.State),
		}
	}), &in.PageParams, total), nil
}

func statementBody(s bank.Statement) bankStatement {
	return bankStatement{
		ID: s.ID, From: s.From.Format(time.DateOnly), To: s.To.Format(time.DateOnly), Lines: s.Lines, Skipped: s.Skipped, Matched: s.Matched,
		MissingHere: s.MissingHere, MissingBank: s.MissingBank, CreatedAt: s.CreatedAt,
	}
}
