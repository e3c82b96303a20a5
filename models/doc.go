// Package models holds the flat rows of the database and their enumerations: no queries, no hooks, no json tags. The
// migrations document the columns.
package models
