// Package customers owns the table customers: the buyers that ticket points know by name, telephone and identity
// document.
//
// Invariants: a telephone belongs to at most one row of an entity. A merged row (merged_into) names a row of the same
// entity that is not merged itself. A deleted row (deleted_at) holds no personal data, and neither do the rows that
// are merged into it.
//
// Data flow: a sale reads the customers that it names by telephone, and inserts the unknown ones, in the statements
// of its own batch ([Buyers]). Persons create, update, merge and delete customers through [Service]. Tickets keep the
// id of the row that they were sold to: a history belongs to [Service.Group], the customer with the rows merged into
// it. An operation that names a merged row acts on the customer that it is merged into.
//
// A merged row keeps its telephone, so that a later sale which names that telephone is a sale to the customer that
// remains.
package customers
