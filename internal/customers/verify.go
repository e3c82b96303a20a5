package customers

// Invariant is a property of the stored customers, and the query that counts the rows that break it.
type Invariant struct{ Name, Query string }

// Invariants returns the invariants of the domain, which sales verifies together with its own.
func Invariants() []Invariant {
	return []Invariant{
		{Name: "a merged customer names one of its entity that is not merged", Query: `SELECT count(*) FROM customers m LEFT JOIN customers k ON k.id = m.merged_into
			WHERE m.merged_into IS NOT NULL AND (k.id IS NULL OR k.merged_into IS NOT NULL OR k.entity_id <> m.entity_id)`},
		{Name: "deleted customers and those merged into them hold no personal data", Query: `SELECT count(*) FROM customers c LEFT JOIN customers k ON k.id = c.merged_into
			WHERE (c.deleted_at IS NOT NULL OR k.deleted_at IS NOT NULL)
				AND (c.deleted_at IS NULL OR c.name <> '' OR c.search_name <> '' OR num_nonnulls(c.phone, c.id_document, c.email) > 0)`},
	}
}
