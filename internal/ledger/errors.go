package ledger

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrInsufficientBalance = apperr.New(
		apperr.Invalid, "INSUFFICIENT_BALANCE", "the wallet's balance and credit do not cover the amount",
	)
	ErrCurrencyNotFound = apperr.New(apperr.Invalid, "CURRENCY_NOT_FOUND", "no such active currency")
	ErrWalletUnknown    = apperr.New(apperr.NotFound, "WALLET_UNKNOWN", "no such wallet")
	ErrInvalidCursor    = apperr.New(apperr.Malformed, "INVALID_CURSOR", "the cursor is not one of this list")
	ErrFutureInstant    = apperr.New(apperr.Invalid, "INSTANT_IN_FUTURE", "as_of must be a past instant")
	ErrNoWallet         = apperr.New(
		apperr.Invalid, "WALLET_NOT_FOUND", "the entity has no active wallet in this currency",
	)
)

// Errors of movements and of credit limits.
var (
	ErrNotAbove = apperr.New(
		apperr.Forbidden, "WALLET_NOT_BELOW",
		"only users of an entity above the wallet's, or of the operator, may do this",
	)
	ErrWalletInactive = apperr.New(apperr.Conflict, "WALLET_INACTIVE", "the wallet is not active")
	ErrWalletKind     = apperr.New(
		apperr.Invalid, "WALLET_KIND", "only the main wallet of an entity can be moved or limited by hand",
	)
	ErrCurrencyMismatch = apperr.New(
		apperr.Invalid, "CURRENCY_MISMATCH", "the wallet is in another currency; amounts are never converted",
	)
	ErrMovementInvalid = apperr.New(
		apperr.Invalid, "MOVEMENT_INVALID", "fields of the movement are missing or invalid",
	)
	ErrReferenceUsed = apperr.New(apperr.Conflict, "REFERENCE_USED", "the wallet has a movement with this reference")
	ErrNoParent      = apperr.New(
		apperr.Invalid, "WALLET_NO_PARENT", "the operator has no entity above it; deposit or withdraw instead",
	)
	ErrMovementUnknown = apperr.New(apperr.NotFound, "MOVEMENT_UNKNOWN", "the wallet has no such movement")
	ErrNotReversible   = apperr.New(
		apperr.Conflict, "NOT_REVERSIBLE",
		"only deposits, withdrawals and transfers made by a person can be reversed, and no reversal",
	)
	ErrReversed = apperr.New(apperr.Conflict, "ALREADY_REVERSED", "the movement is reversed already")
)
