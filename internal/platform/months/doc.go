// Package months keeps the tables that grow with every sale divided by month: tickets, their lines, transactions and postings. Their ids are
// UUIDs of version 7, so the ids of a month (of UTC) are a range, and the parts of the month are partitions of the tables.
//
// [Service.Prepare] makes the parts of the next months and analyses the tables, which autovacuum leaves to others for a divided table. A
// row of no month goes into a part of its own, so that no sale fails for want of one; [Service.State] tells both.
package months
