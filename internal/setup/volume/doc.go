// Package volume fills a seeded database with a history: ticket points in a tree, and their sales, cancellations,
// results, prizes, payments and weekly deposits over many days, as the platform would have written them, so that
// `banca verify` holds. It writes by COPY without the domains, and is meant for measurements and demonstrations on an
// empty database.
package volume
