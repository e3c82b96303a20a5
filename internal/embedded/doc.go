// Package embedded is the single-machine stack behind `banca-dev dev` and the tests: Postgres, Redis and an
// S3 gateway that need no installation step beyond having the server binaries, and no configuration.
//
// How the parts run:
//   - Postgres is a child process on a Unix socket; it never listens on TCP.
//   - Redis (or Valkey) is a child process on a Unix socket. Without a server binary an in-process stand-in
//     takes its place, which keeps nothing over a restart; [Stack.RedisDurable] tells which one it is.
//   - S3 is gofakes3 with its file backend in this process, on a loopback port, with checked request
//     signatures and public prefixes by bucket policy.
//
// Invariants:
//   - One process per data directory, held by a file lock; a second one gets [ErrDataDirInUse].
//   - No child outlives the program, even one killed with SIGKILL; and should one be left all the same, the
//     next start stops it before it touches the data.
//   - What was acknowledged before a stop or a kill is there after the next start (Redis: up to its last
//     second), and addresses stay the same, because stored image links name the S3 endpoint.
//   - Every wait has a bound.
//
// A root program runs Postgres as another account. Where that account cannot reach the data directory, as
// below /root, the cluster is kept in a directory of its own below /var/lib/banca and linked from there.
package embedded
