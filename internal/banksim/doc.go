// Package banksim sends what a bank would send to our two webhooks: it is the sender behind the control
// panel's bank event simulator, and owns no data.
//
// How a run flows: Run checks what the operator gave (check.go), lays the scenario out as steps (plan.go),
// sends each over a connection of its own (send.go) and returns every call as it was, whatever came of it.
//
// Invariants:
//   - The token is the one that the operator typed. No configured token is known here.
//   - The token leaves in the Authorization header only: it is masked in the headers shown and in whatever
//     the target echoes, and stands as $BANK_TOKEN in the curl line.
//   - Only listed targets are called, and the address that a name resolves to is checked again when it is
//     dialled (package egress), so that a name cannot be pointed inwards later. Redirects are shown, not followed,
//     and no proxy of the environment is used.
//   - A call is made once. Nothing is retried, because a repeat is a scenario of its own.
//   - Everything is bounded: fields, calls of a run, time, and what is read of an answer.
package banksim
