package bank

import (
	"banca/internal/bank"
	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

// failures lists the errors of the operations on the bank's side.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"acknowledge-security-alert": {bank.ErrAlertNotFound, bank.ErrOperatorOnly},
		"assign-bank-payment": {
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, bank.ErrNoTarget, bank.ErrOperatorOnly, bank.ErrPaymentNotFound,
			bank.ErrRequestClosed, bank.ErrRequestNotFound, bank.ErrResolved, bank.ErrStore, ledger.ErrCurrencyNotFound,
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound,
			phone.ErrInvalid,
		},
		"bank-identity": {bank.ErrOperatorOnly, bank.ErrStore, phone.ErrInvalid},
		"cancel-payment-request": {
			bank.ErrRequestClosed, bank.ErrRequestHeld, bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount,
			org.ErrEntityNotFound,
		},
		"create-bank":         {bank.ErrBankExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"create-network-code": {bank.ErrCodeExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"create-payment-request": {
			bank.ErrField, idempotency.ErrInvalidKey, bank.ErrInvalidRequest, idempotency.ErrKeyReused, bank.ErrStore,
			ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid,
		},
		"delete-bank":         {bank.ErrBankInUse, bank.ErrBankNotFound, bank.ErrOperatorOnly},
		"delete-network-code": {bank.ErrCodeFixed, bank.ErrCodeNotFound, bank.ErrOperatorOnly},
		"erase-bank-event":    {bank.ErrEventNotFound, bank.ErrOperatorOnly},
		"get-bank-event": {
			bank.ErrEventNotFound, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrRequestNotFound,
			ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
		},
		"get-bank-payment":                {bank.ErrOperatorOnly, bank.ErrPaymentNotFound, ledger.ErrCurrencyNotFound},
		"get-bank-statement":              {bank.ErrOperatorOnly, bank.ErrStatementNotFound},
		"get-payment-request":             {bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"import-bank-statement":           {bank.ErrField, bank.ErrOperatorOnly, bank.ErrStatement, bank.ErrStatementKnown, money.ErrAmount},
		"list-bank-events":                {bank.ErrField, bank.ErrOperatorOnly, phone.ErrInvalid},
		"list-bank-payments":              {bank.ErrField, bank.ErrOperatorOnly, ledger.ErrCurrencyNotFound, phone.ErrInvalid},
		"list-bank-statement-differences": {bank.ErrOperatorOnly, bank.ErrStatementNotFound},
		"list-bank-statements":            {bank.ErrOperatorOnly},
		"list-payment-requests":           {ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"list-security-alerts":            {bank.ErrOperatorOnly},
		"list-customer-payments":          {customers.ErrNotFound},
		"refund-bank-payment": {
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrResolved, bank.ErrStore,
			ledger.ErrCurrencyMismatch, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, phone.ErrInvalid,
		},
		"update-bank":         {bank.ErrBankNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"update-network-code": {bank.ErrCodeNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
	}
}
