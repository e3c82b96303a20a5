// Package testkit gives tests the real thing: one embedded stack per test process, started when the first
// test asks for it, and on it a database, a Redis database and a bucket per test.
//
// Each package that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }
//
// and its tests begin with env := testkit.New(t). Tests of one package may run in parallel and see nothing of
// each other, with one exception that Redis makes: published messages cross its databases, so channel names
// must hold an id.
//
// The stack is kept in memory where /dev/shm has room for it, and starts from a copy of a migrated cluster in the user's
// cache directory, so a new database costs some 15 ms of processor time.
//
// Tests of faults get a Postgres or Redis of their own from [StartPostgres] and [StartRedis], which they may
// stop, kill and pause in the middle of things.
//
// On a machine without the servers these tests are skipped with the reason; with the variable CI set they
// fail instead, so that a missing server never passes for a passing test.
package testkit
