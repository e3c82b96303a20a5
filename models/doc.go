// Package models holds the flat rows of the database and their enumerations: no queries, no hooks,
// no json tags. What a column means is written in the migrations.
package models
