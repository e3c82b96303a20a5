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
	"banca/internal/risk"
	"banca/internal/sales"
)

// failuresRest continues failuresFirst.
func failuresRest() map[string][]*apperr.Error { //nolint:funlen // a table
	return map[string][]*apperr.Error{
		"list-documents":        {org.ErrDocumentStore, org.ErrEntityNotFound},
		"list-draws":            {money.ErrAmount, org.ErrEntityNotFound},
		"list-game-elements":    {catalog.ErrGameNotFound},
		"list-games":            {catalog.ErrGameNotFound},
		"list-payment-requests": {ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"list-security-alerts":  {bank.ErrOperatorOnly},
		"list-tickets":          {catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound},
		"login": {
			auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrPasswordRequired, auth.ErrTOTPRequired,
			auth.ErrTooManyLogins, phone.ErrInvalid,
		},
		"move-entity": {
			money.ErrAmount, org.ErrCycle, org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRates, org.ErrRootProtected,
			org.ErrTypeOrder,
		},
		"pay-prize": {
			ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrAlreadyPaid,
			prizes.ErrAttempts, prizes.ErrCancelled, prizes.ErrCollected, prizes.ErrDisputed, prizes.ErrExpired,
			prizes.ErrNotVerified, prizes.ErrNotWon, prizes.ErrTooMany, prizes.ErrWrongCode, sales.ErrInvalidKey,
			sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"preview-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrNotClosed, draws.ErrNotHeld, draws.ErrResultClosed,
			draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrResultNotFound, draws.ErrSamePerson, draws.ErrSealBroken,
			draws.ErrSuspended, ledger.ErrCurrencyNotFound,
		},
		"refresh": {auth.ErrInvalidRefresh},
		"refund-bank-payment": {
			bank.ErrInvalidKey, bank.ErrKeyReused, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrResolved, bank.ErrStore,
			ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, phone.ErrInvalid,
		},
		"register-device": {
			devices.ErrDeviceExists, devices.ErrEntityNotFound, devices.ErrInvalidDevice, devices.ErrOwnEntityOnly,
			devices.ErrTooManyDevices,
		},
		"reject-result":   {draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrResultClosed, draws.ErrResultNotFound},
		"remove-document": {org.ErrDocumentNotFound, org.ErrEntityNotFound},
		"request-code":    {auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrTooManyLogins, phone.ErrInvalid},
		"reset-password": {
			auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound,
			auth.ErrWeakPassword,
		},
		"reset-totp": {auth.ErrUserAbove, auth.ErrUserNotFound},
		"sell-ticket": {
			sales.ErrStaleRules,
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance,
			ledger.ErrNoWallet, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid, risk.ErrDrawClosed,
			risk.ErrLimitExceeded, risk.ErrUnavailable, sales.ErrBusy, sales.ErrCustomerNotFound, sales.ErrDrawsStopped,
			sales.ErrInvalidCustomer, sales.ErrInvalidKey, sales.ErrInvalidTicket, sales.ErrKeyReused, sales.ErrNoLines,
			sales.ErrNotTicketPoint, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrTooManyLines, sales.ErrUnknownOutcome,
		},
		"set-device-session-status": {
			auth.ErrConfirmationRequired, devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrInactive, devices.ErrSessionMove,
			devices.ErrSessionNotFound, devices.ErrSuspended,
		},
		"set-device-status":    {auth.ErrConfirmationRequired, devices.ErrDeviceNotFound, devices.ErrStatusMove},
		"set-entity-status":    {org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRootProtected, org.ErrStatusMove},
		"set-game-status":      {catalog.ErrCategoryNotFound, catalog.ErrGameNotFound, catalog.ErrGameStatus},
		"set-user-permissions": {auth.ErrNotGrantable, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound},
		"settle-prize-difference": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound,
			prizes.ErrDisputed, prizes.ErrNotPaid, prizes.ErrNotVerified, sales.ErrKeyReused, sales.ErrStore,
			sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"start-totp": {auth.ErrTOTPEnabled},
		"suspend-draw": {
			catalog.ErrDrawNotFound, draws.ErrCannotSuspend, draws.ErrDrawNotFound, draws.ErrReasonMissing, money.ErrAmount,
			org.ErrEntityNotFound,
		},
		"sync-draws": {
			catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver, catalog.ErrGameNotFound,
			catalog.ErrInvalidDraws,
		},
		"sync-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"terminate-session": {auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrUserAbove},
		"ticket-status":     {sales.ErrTicketNotFound},
		"unblock-element":   {risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrUnavailable},
		"update-bank":       {bank.ErrBankNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"update-device":     {devices.ErrDeviceNotFound, devices.ErrInvalidDevice},
		"update-entity": {
			auth.ErrConfirmationRequired, devices.ErrDeviceKey, money.ErrAmount, org.ErrEntityExists, org.ErrEntityNotFound,
			org.ErrInvalidEntity, org.ErrOwnEntity, org.ErrRates, phone.ErrInvalid,
		},
		"update-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrMechanicsInUse, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"update-game-category": {
			catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory,
		},
		"update-game-element": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrElement, catalog.ErrGameNotFound, catalog.ErrInvalidGame,
			catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory, catalog.ErrPictureDimensions,
			catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType, money.ErrAmount,
		},
		"update-log":          {activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved},
		"update-network-code": {bank.ErrCodeNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly},
		"update-user": {
			auth.ErrInvalidUser, auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserExists, auth.ErrUserNotFound,
			phone.ErrInvalid,
		},
		"validate-device": {
			devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrEntityNotFound, devices.ErrFingerprint, devices.ErrInactive,
			devices.ErrSessionHeld, devices.ErrSuspended,
		},
		"verify-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrNotClosed, draws.ErrNotHeld, draws.ErrResultClosed,
			draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrResultNotFound, draws.ErrSamePerson, draws.ErrSealBroken,
			draws.ErrSuspended, ledger.ErrCurrencyNotFound,
		},
		"write-off-prize-difference": {
			ledger.ErrInsufficientBalance, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound, prizes.ErrNoteMissing,
			prizes.ErrTextTooLong, sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound,
		},
	}
}
