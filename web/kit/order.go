package kit

import "net/url"

// orderParam is the parameter of the address that orders a list.
const orderParam = "sort"

// Orders are the values of the parameter sort that order a list by a column; "" if the service has no such order.
type Orders struct{ Ascending, Descending string }

// By returns the column as one that orders the list.
func (c Column[R]) By(orders Orders) Column[R] {
	c.Orders = orders
	return c
}

// has reports whether a value of the parameter sort, which is not "", is one of the orders.
func (o Orders) has(value string) bool { return value == o.Ascending || value == o.Descending }

// order is the order of the shown list.
type order struct {
	value string   // of the parameter sort, or the list's own order
	here  *url.URL // of the list
}

// link returns the address of the list in the next order by the column, or "" if there is none, and the value of
// aria-sort for the current order.
func (o Orders) link(now order) (address, sorted string) {
	next := o.Ascending
	switch {
	case o == Orders{} || now.here == nil:
		return "", ""
	case o.Ascending != "" && now.value == o.Ascending:
		next, sorted = o.Descending, "ascending"
	case o.Descending != "" && now.value == o.Descending:
		sorted = "descending"
	case next == "":
		next = o.Descending
	}
	if next == "" {
		return "", sorted
	}
	query := listQuery(now.here)
	query.Set(orderParam, next)
	return now.here.Path + "?" + query.Encode(), sorted
}

// order returns the order in the address if a column of the list has it, or sorts by itself, otherwise the default order of the list. An unknown
// order is said on the page.
func (l *List[R, P]) order(r *Request) string {
	typed := r.Query(orderParam)
	if typed == "" {
		return l.Order
	}
	if l.sorter(typed) != nil {
		return typed
	}
	for i := range l.Columns {
		if l.Columns[i].Orders.has(typed) {
			return typed
		}
	}
	r.Warn(r.T("filter.wrong"))
	return l.Order
}
