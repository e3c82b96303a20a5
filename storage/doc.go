// Package storage holds the clients of what the system keeps its data in: Postgres (a pgx pool, with gorm on
// the same pool), Redis and an S3-compatible object store. It knows how to open, bound, observe and close
// them, and nothing of what is stored; queries live in the domains.
package storage
