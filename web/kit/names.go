package kit

import "github.com/google/uuid"

// EntityName returns the name of an entity, or "" if it cannot be read.
func EntityName(r *Request, id uuid.UUID) string {
	return r.site.EntityNames(r.Context(), []uuid.UUID{id})[id]
}

// EntityNames returns the names of the entities of rows, read in one query. A name that cannot be read is missing.
func EntityNames[R any](r *Request, rows []R, entityOf func(row *R) uuid.UUID) map[uuid.UUID]string {
	seen, ids := map[uuid.UUID]bool{}, []uuid.UUID{}
	for i := range rows {
		if id := entityOf(&rows[i]); id != uuid.Nil && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return r.site.EntityNames(r.Context(), ids)
}
