// Package bench measures the sale path on a real stack of its own, as ratios to pgbench.
//
// One run starts Postgres (fsync on), Redis and the object store in a scratch directory and the platform as a child
// process, then takes turns, several rounds for each number of clients: pgbench tpcb-like on the same Postgres, sales
// through HTTP on many wallets and on one, the commit stage alone, and notifications of the bank through HTTP. It reports the median of the rounds; machines are noisy, so only the ratio
// R to pgbench at the same number of clients can be compared.
package bench
