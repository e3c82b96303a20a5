// Package embedded runs the servers of `banca-dev dev` and of the tests on one machine: Postgres, Redis and an S3
// store. They need the server binaries, and no further installation or configuration.
//
// Parts:
//   - Postgres is a child process on a Unix socket; it never listens on TCP.
//   - Redis (or Valkey) is a child process on a Unix socket. Without a server binary an in-process Redis
//     replaces it, which keeps nothing over a restart; [Stack.RedisDurable] reports which one runs.
//   - S3 is gofakes3 with its file backend in this process, on a loopback port, with checked request
//     signatures and public prefixes by bucket policy.
//
// Invariants:
//   - One process per data directory, held by a file lock; a second one gets [ErrDataDirInUse].
//   - No child outlives the program, even one killed with SIGKILL; if one does all the same, the next
//     start stops it before it touches the data.
//   - Data acknowledged before a stop or a kill is there after the next start (Redis: up to its last
//     second), and addresses stay the same, because stored image links name the S3 endpoint.
//   - Every wait has a bound.
//
// A root program runs Postgres as another account. If that account cannot reach the data directory, as below /root,
// the cluster is kept below /var/lib/banca and linked from the data directory.
package embedded
