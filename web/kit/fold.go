package kit

// Alike is when FoldAlike leaves rows out.
type Alike[R any] struct {
	Kind func(row *R) string    // rows of one kind are alike
	Keep func(row *R) bool      // rows that are never left out
	Fold func(row *R, more int) // makes a row, the first one that is left out, stand for all of them
	Most int                    // rows of a kind that are all shown
	Top  int                    // rows that are shown of a kind with more
}

// FoldAlike returns rows without the last ones of each kind with many of them.
func FoldAlike[R any](rows []R, of Alike[R]) (kept []R) {
	all, shown := map[string]int{}, map[string]int{}
	for i := range rows {
		all[of.Kind(&rows[i])]++
	}
	for i := range rows {
		row := rows[i]
		switch kind := of.Kind(&row); {
		case all[kind] <= of.Most, shown[kind] < of.Top, of.Keep(&row):
			shown[kind]++
		case shown[kind] == all[kind]: // a row stands for it
			continue
		default:
			of.Fold(&row, all[kind]-shown[kind])
			shown[kind] = all[kind]
		}
		kept = append(kept, row)
	}
	return kept
}
