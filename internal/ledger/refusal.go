package ledger

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"banca/internal/platform/apperr"
	"banca/storage"
)

// Refusal maps an error of a transaction that posts, such as a sale or a prize payment, to an error that may be shown to a client. An error that is
// neither an [apperr.Error] nor an answer of Postgres becomes [apperr.ErrStore].
func Refusal(err error) error {
	if storage.Violates(err, "wallet_covered") {
		return ErrInsufficientBalance.WithCause(err)
	}
	if _, known := errors.AsType[*apperr.Error](err); known {
		return err
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); answered { // BUSY, an outage, or a permanent defect
		return apperr.From(err)
	}
	return apperr.ErrStore.WithCause(err)
}
