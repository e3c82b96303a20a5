package kit

// Common returns the value that all rows have, the zero value for several values. A page says it once instead of in each row.
func Common[R any, V comparable](rows []R, of func(row *R) V) (value V) {
	for i := range rows {
		if i > 0 && of(&rows[i]) != value {
			return *new(V)
		}
		value = of(&rows[i])
	}
	return value
}

// Hide returns columns without the cells of the columns whose titles, which are keys, are hidden. Files have them.
func Hide[R any](columns []Column[R], hidden map[string]bool) []Column[R] {
	return Map(columns, func(c *Column[R]) Column[R] {
		if hidden[c.Title] {
			return c.FileOnly()
		}
		return *c
	})
}
