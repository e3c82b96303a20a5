// Package storage holds the clients of Postgres (a pgx pool, with gorm on the same pool), Redis and an S3-compatible
// object store. It opens, bounds, observes and closes them. Queries live in the domains.
package storage
