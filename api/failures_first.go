package api

import (
	"banca/internal/activity"
	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/phone"
	"banca/internal/pixels"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
)

// failuresFirst lists the errors of the operations up to list-bank-statements, beside those of every operation; the rest is in failuresRest.
func failuresFirst() map[string][]*apperr.Error { //nolint:funlen // a table
	return map[string][]*apperr.Error{
		"accept-draw-seal": {
			draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrSamePerson, draws.ErrSealHolds, draws.ErrSealBroken, draws.ErrSuspended,
			draws.ErrResultNotFound, draws.ErrNotClosed, draws.ErrNoResult,
		},
		"acknowledge-draw-alert":     {draws.ErrAlertNotFound},
		"acknowledge-security-alert": {bank.ErrAlertNotFound, bank.ErrOperatorOnly},
		"assign-bank-payment": {
			bank.ErrInvalidKey, bank.ErrKeyReused, bank.ErrNoTarget, bank.ErrOperatorOnly, bank.ErrPaymentNotFound,
			bank.ErrRequestClosed, bank.ErrRequestNotFound, bank.ErrResolved, bank.ErrStore, ledger.ErrCurrencyNotFound,
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound,
			phone.ErrInvalid,
		},
		"attach-document": {
			errNoForm, pixels.ErrBusy, pixels.ErrTooMuchMemory, org.ErrDocumentBroken, org.ErrDocumentDimensions, org.ErrDocumentExists, org.ErrDocumentLimit,
			org.ErrDocumentMixed, org.ErrDocumentStore, org.ErrDocumentTooLarge, org.ErrDocumentType, org.ErrEntityNotFound,
			org.ErrInvalidDocument,
		},
		"bank-identity": {bank.ErrOperatorOnly, bank.ErrStore, phone.ErrInvalid},
		"block-element": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrReasonMissing, risk.ErrUnavailable, risk.ErrUnknownElement,
		},
		"cancel-payment-request": {
			bank.ErrRequestClosed, bank.ErrRequestHeld, bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount,
			org.ErrEntityNotFound,
		},
		"cancel-prize": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrNotPaid, prizes.ErrTextTooLong, sales.ErrInvalidKey,
			sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"cancel-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet,
			money.ErrAmount, org.ErrEntityNotFound, risk.ErrUnavailable, sales.ErrCancelTooLate, sales.ErrDrawsStopped,
			sales.ErrInvalidKey, sales.ErrKeyReused, sales.ErrNotCancellable, sales.ErrStore, sales.ErrTicketNotFound,
			sales.ErrTooManyCancels, sales.ErrUnknownOutcome,
		},
		"change-limit":    {money.ErrNegative, risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrUnavailable},
		"change-password": {auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrTooManyLogins, auth.ErrWeakPassword},
		"confirm":         {auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrPasswordRequired, auth.ErrTOTPRequired, auth.ErrTooManyLogins},
		"correct-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrInvalidOutcome, draws.ErrNoResult, draws.ErrNotClosed,
			draws.ErrNotHeld, draws.ErrReasonMissing, draws.ErrResultNotFound, draws.ErrResultPending, draws.ErrResultUnchanged,
			draws.ErrSealBroken, draws.ErrSuspended, ledger.ErrCurrencyNotFound,
		},
		"create-bank": {bank.ErrBankExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"create-entity": {
			auth.ErrConfirmationRequired, devices.ErrDeviceKey, money.ErrAmount, org.ErrEntityExists, org.ErrEntityNotFound,
			org.ErrInvalidEntity, org.ErrRates, org.ErrTypeOrder, phone.ErrInvalid,
		},
		"create-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrMechanicsInUse, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"create-game-category": {
			catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory,
		},
		"create-game-elements": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrElementExists, catalog.ErrGameNotFound,
			catalog.ErrInvalidGame, catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"create-limit": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrUnavailable,
		},
		"create-log":          {activity.ErrInvalid, activity.ErrNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"create-network-code": {bank.ErrCodeExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"create-payment-request": {
			bank.ErrField, bank.ErrInvalidKey, bank.ErrInvalidRequest, bank.ErrKeyReused, bank.ErrStore,
			ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid,
		},
		"create-user": {
			auth.ErrBusy, auth.ErrInvalidUser, auth.ErrUserAbove, auth.ErrUserExists, auth.ErrWeakPassword, phone.ErrInvalid,
		},
		"delete-bank": {bank.ErrBankInUse, bank.ErrBankNotFound, bank.ErrOperatorOnly},
		"delete-entity": {
			org.ErrEntityInUse, org.ErrEntityNotFound, org.ErrHasChildren, org.ErrMovedMoney, org.ErrOwnEntity,
			org.ErrRootProtected,
		},
		"delete-game":          {catalog.ErrGameHasSales, catalog.ErrGameInUse, catalog.ErrGameNotFound},
		"delete-game-category": {catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound},
		"delete-limit":         {risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrUnavailable},
		"delete-log":           {activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved},
		"delete-network-code":  {bank.ErrCodeFixed, bank.ErrCodeNotFound, bank.ErrOperatorOnly},
		"delete-user":          {auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound},
		"disable-totp":         {auth.ErrUserAbove, auth.ErrUserNotFound},
		"enable-totp": {
			auth.ErrInvalidCredentials, auth.ErrTOTPEnabled, auth.ErrTOTPNotStarted, auth.ErrTooManyLogins, auth.ErrUserNotFound,
		},
		"enter-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrInvalidOutcome, draws.ErrNotClosed, draws.ErrNotHeld,
			draws.ErrResultExists, draws.ErrResultNotFound, draws.ErrResultPending, draws.ErrSuspended,
		},
		"entity-effective-config": {money.ErrAmount, org.ErrEntityNotFound},
		"entity-tree":             {org.ErrEntityNotFound},
		"erase-bank-event":        {bank.ErrEventNotFound, bank.ErrOperatorOnly},
		"extend-session":          {auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrSessionTime, auth.ErrUserAbove},
		"game-schema":             {catalog.ErrSchemaNotFound},
		"get-bank-event": {
			bank.ErrEventNotFound, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrRequestNotFound,
			ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
		},
		"get-bank-payment":   {bank.ErrOperatorOnly, bank.ErrPaymentNotFound, ledger.ErrCurrencyNotFound},
		"get-bank-statement": {bank.ErrOperatorOnly, bank.ErrStatementNotFound},
		"get-device":         {devices.ErrDeviceNotFound},
		"get-draw":           {catalog.ErrDrawNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"get-entity":         {org.ErrEntityNotFound},
		"get-exposure": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
		},
		"get-game":            {catalog.ErrCategoryNotFound, catalog.ErrGameNotFound},
		"get-game-category":   {catalog.ErrCategoryNotFound},
		"get-limit":           {risk.ErrLimitNotFound},
		"get-log":             {activity.ErrNotFound},
		"get-payment-request": {bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"get-prize":           {catalog.ErrGameNotFound, sales.ErrTicketNotFound},
		"get-receipt": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, receipts.ErrQR,
			receipts.ErrTooLarge, sales.ErrReceiptFormat, sales.ErrTicketNotFound,
		},
		"get-result":  {draws.ErrResultNotFound},
		"get-session": {auth.ErrSessionNotFound},
		"get-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, sales.ErrTicketNotFound,
		},
		"get-user":              {auth.ErrUserNotFound},
		"get-user-permissions":  {auth.ErrUserNotFound},
		"import-bank-statement": {bank.ErrField, bank.ErrOperatorOnly, bank.ErrStatement, bank.ErrStatementKnown, money.ErrAmount},
		"list-available": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrUnavailable, sales.ErrInvalidTicket,
		},
		"list-bank-events":                {bank.ErrField, bank.ErrOperatorOnly, phone.ErrInvalid},
		"list-bank-payments":              {bank.ErrField, bank.ErrOperatorOnly, ledger.ErrCurrencyNotFound, phone.ErrInvalid},
		"list-bank-statement-differences": {bank.ErrOperatorOnly, bank.ErrStatementNotFound},
		"list-bank-statements":            {bank.ErrOperatorOnly},
	}
}
