package app

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// ListMonths writes the months of the tables of sales and of the archive, oldest first.
func (a *App) ListMonths(ctx context.Context, out io.Writer) error {
	list, err := a.services.months.List(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "month\tends\tstate\tsince\trows\tbytes\topen")
	for i := range list {
		m := &list[i]
		state, since, rows, size := "in the tables", "", "", ""
		if m.State != "" {
			state, since, rows, size = m.State, m.At.Format(time.RFC3339), strconv.FormatInt(m.Rows, 10), strconv.FormatInt(m.Bytes, 10)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Label, m.Ends.Format(time.DateOnly), state, since, rows, size, m.Open)
	}
	return w.Flush()
}

// ArchiveMonths moves the months that are due to the archive.
func (a *App) ArchiveMonths(ctx context.Context, out io.Writer) error {
	n, err := a.services.months.Archive(ctx)
	_, _ = fmt.Fprintf(out, "%d months were archived\n", n)
	return err
}

// ReturnMonth puts an archived month back into the tables.
func (a *App) ReturnMonth(ctx context.Context, label string, out io.Writer) error {
	rows, err := a.services.months.Return(ctx, label)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "month %s is in the tables again with %d rows, until a run of month.archive in seven days or later\n", label, rows)
	return err
}

// CheckMonths compares all objects of the archive with their hashes.
func (a *App) CheckMonths(ctx context.Context, out io.Writer) error {
	n, err := a.services.months.Check(ctx)
	_, _ = fmt.Fprintf(out, "%d months of the archive are whole\n", n)
	return err
}
