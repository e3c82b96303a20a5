package storage

import (
	"strconv"
	"strings"
)

// Where collects the conditions of a statement and the values of its parameters. A filter that is not set adds
// nothing to the statement, so that Postgres plans for the filters that are. The zero Where selects all rows.
type Where struct {
	conditions []string
	args       []any
}

// Arg adds the value of a parameter and returns the name of the parameter in the statement, such as $3.
func (w *Where) Arg(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

// And adds a condition, written in the source; values reach it by Arg only.
func (w *Where) And(condition string) {
	w.conditions = append(w.conditions, "("+condition+")")
}

// SQL is the clause, with a space before it; empty without a condition.
func (w *Where) SQL() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// Args are the values of the parameters in the order of their names.
func (w *Where) Args() []any { return w.args }
