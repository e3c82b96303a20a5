package kit

// Alike is when FoldAlike leaves rows out.
type Alike[R any] struct {
	Kind func(row *R) string    // rows of one kind are alike
	Keep func(row *R) bool      // rows that are never left out
	Fold func(row *R, more int) // makes a row, the first row that is left out, stand for all of them
	Top  int                    // rows that are shown of a kind; also the next one, if it is the last
}

// FoldAlike returns rows without the last rows of each kind with many rows. The rows of a kind that are never left out are its first ones.
func FoldAlike[R any](rows []R, of Alike[R]) (kept []R) {
	all, shown, folded := map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range rows {
		all[of.Kind(&rows[i])]++
	}
	for i := range rows {
		row := rows[i]
		switch kind := of.Kind(&row); {
		case shown[kind] < of.Top, all[kind] == of.Top+1, of.Keep(&row):
			shown[kind]++
		case folded[kind]:
			continue
		default:
			of.Fold(&row, all[kind]-shown[kind])
			folded[kind] = true
		}
		kept = append(kept, row)
	}
	return kept
}
