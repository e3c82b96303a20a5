// Package activity owns the trail of what people did: activity_logs.
//
// Invariants: an entry is written in the transaction of what it tells, so that neither exists without the other;
// entries are never changed or deleted, by triggers; the hash of each linked entry covers it and the hash before it, so
// that a missing, changed or inserted entry breaks the chain, which Verify reports. An entry is linked within seconds of
// its commit; until then only the triggers protect it. Writers take no lock of the log and never wait for each other. A person who corrects or removes an entry
// adds one that says so (amends); lists show the result, and the entry's page the whole story.
//
// Data flow: the API and the panel put the Actor into the context -> a domain changes its rows and calls RecordTx in
// its transaction -> the task activity.link appends committed entries to the chain, one run at a time.
package activity
