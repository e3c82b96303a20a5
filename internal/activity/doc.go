// Package activity owns the activity log, the table activity_logs.
//
// Invariants: an entry is written in the transaction of the change that it records, so that neither exists without
// the other. Entries are never changed or deleted, which triggers enforce. The hash of each linked entry covers it
// and the hash before it, so that a missing, changed or inserted entry breaks the chain, which Verify reports. An
// entry is linked within seconds of its commit; until then only the triggers protect it. Writers take no lock of the
// log and never wait for each other. A correction or removal of an entry is another entry (amends); lists show the
// corrected state, and the entry's page the whole history.
//
// Data flow: the API and the panel put the Actor into the context -> a domain changes its rows and calls RecordTx in
// its transaction -> the task activity.link appends committed entries to the chain, one run at a time.
package activity
