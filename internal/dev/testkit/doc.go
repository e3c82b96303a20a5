// Package testkit gives tests real servers: one embedded stack per test process, started when the first test asks for
// it, and on it a database, a Redis database and a bucket per test.
//
// Each package that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }
//
// and its tests begin with env := testkit.New(t). Tests of one package may run in parallel and are isolated from each
// other, except that published messages of Redis cross its databases, so channel names must hold an id.
//
// The stack is kept in memory if /dev/shm has room for it, and starts from a copy of a migrated cluster in the user's
// cache directory, so a new database costs some 15 ms of CPU time.
//
// Tests of faults get a Postgres or Redis of their own from [StartPostgres] and [StartRedis], which they may stop,
// kill and pause at any time.
//
// On a machine without the servers these tests are skipped with the reason; with the variable CI set they fail
// instead, so that a missing server does not count as a passed test.
package testkit
