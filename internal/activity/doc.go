// Package activity owns the trail of what people did: activity_logs.
//
// Invariants: an entry is written in the transaction of what it tells, so that neither exists without the other;
// entries are never changed or deleted, by a trigger; each one's hash covers it and the hash before it, so that a
// missing, changed or inserted entry breaks the chain, which Verify reports. A person who corrects or removes an entry
// adds one that says so (amends); lists show the result, and the entry's page the whole story.
//
// Data flow: the API and the panel put the Actor into the context -> a domain changes its rows and calls RecordTx as
// the last statement of its transaction -> the database links the entry to the chain. The last statement, because
// from then until the commit nobody else can add an entry.
package activity
