// Package months partitions the tables that grow with every sale by month: tickets, their lines, transactions and
// postings. Their ids are UUIDs of version 7, so the ids of a month (in UTC) are a range.
//
// [Service.Prepare] creates the partitions of the next months; [Service.Analyse] analyses the tables, because
// autovacuum does not analyse partitioned tables. A default partition catches stray rows, so that no sale fails;
// [Service.State] reports both.
package months
