// Package seed fills an empty database with what a demonstration or a developer needs: currencies, the
// games with their payouts, the banks and network codes, an entity tree of five levels, wallets, users of each role, limits and
// the draws of the coming days.
//
// Every row has an id derived from its name, and rows that exist are left as they are, so seeding
// twice changes nothing and never undoes what an operator has edited.
package seed

// RootEntityID is the id of the operator that a seed adds to a database without one.
const RootEntityID = "01900000-0000-7000-8000-000000000001"
