// Package imports takes over the ticket points of an earlier system from a file: agencies, groups and ticket points
// with their commissions, limits, credit, users and telephones. It owns no table.
//
// Data flow: file -> Parse -> rows -> plan -> tree of lines with their problems -> apply. The plan only reads, and takes
// no lock.
//
// Invariants: a file with a problem writes nothing; everything is written in one transaction, which makes the plan again
// under storage.LockTree; entities are found by their codes and users by their names, so a repeat doubles nothing, and an
// empty cell changes nothing.
package imports
