// Package banksim sends calls of a bank to the two webhooks: it is the sender behind the control panel's bank event
// simulator, and owns no data.
//
// Data flow: Run validates the operator's input (check.go), plans the scenario as steps (plan.go), sends each over a
// connection of its own (send.go) and returns every call with its answer or failure.
//
// Invariants:
//   - The token is the one that the operator typed. No configured token is known here.
//   - The token is sent in the Authorization header only: it is masked in the headers shown and in
//     echoes of the target, and is $BANK_TOKEN in the curl line.
//   - Only listed targets are called, and the address that a name resolves to is checked again when it is
//     dialled (package egress), so that a name cannot be pointed inwards later. Redirects are shown, not followed,
//     and no proxy of the environment is used.
//   - A call is made once. Nothing is retried, because a repetition is a scenario.
//   - Everything is bounded: fields, calls of a run, time, and the part of an answer that is read.
package banksim
