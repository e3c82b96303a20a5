// Package sheet writes rows of typed cells as CSV and XLSX files. It has no tables.
//
// Invariants: an amount is written with its exact digits; a text is never run as a formula by a spreadsheet; a file has all its
// rows, or it is an error ([ErrTooLarge]); memory does not grow with the number of rows.
//
// A CSV file is in UTF-8 with a byte order mark. In Spanish its cells are separated by semicolons and its decimals by a comma, in
// English by commas and a point. Times are local.
package sheet
