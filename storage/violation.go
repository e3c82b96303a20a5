package storage

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATE codes of the refusals that callers map to errors of their own.
const (
	foreignKeyViolation = "23503"
	uniqueViolation     = "23505"
	undefinedTable      = "42P01"
)

// Violates reports whether a constraint or unique index of this name refused a write.
func Violates(err error, constraint string) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.ConstraintName == constraint
}

// ViolatedUnique returns the name of the unique constraint or index that refused a write, "" if none did.
func ViolatedUnique(err error) string {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && refusal.Code == uniqueViolation {
		return refusal.ConstraintName
	}
	return ""
}

// ViolatesForeignKey reports whether a foreign key refused a write.
func ViolatesForeignKey(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.Code == foreignKeyViolation
}

// IsNoTable reports whether a statement failed because a table of it does not exist, as in a database without migrations.
func IsNoTable(err error) bool {
	violation, ok := errors.AsType[*pgconn.PgError](err)
	return ok && violation.Code == undefinedTable
}
