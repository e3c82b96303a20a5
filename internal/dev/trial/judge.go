package trial

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// figure is something that is read again and again, and must be flat.
type figure struct {
	name    string
	perSale bool    // it is a sum since the start that grows with the sales: how much a sale adds is judged
	part    float64 // how much more than in the middle there may be at the end, as a part of it
	plus    float64 // and beyond that
}

// verdict is what became of a figure: its values in the first, the second and the last third of the run.
type verdict struct {
	name               string
	start, middle, end float64
	most               float64 // that the end may be
	grew, unknown      bool
}

// sampledAtLeast is how many samples a third needs.
const sampledAtLeast = 3

// judge compares the last third of the samples with the second one. The first third is that of filling caches and pools. Single values jump with
// whatever else the machine does, so the median of a third counts, or of a sum what was added in it.
func judge(samples []sample, figures []figure) []verdict {
	list := make([]verdict, 0, len(figures))
	for _, f := range figures {
		list = append(list, f.judge(samples))
	}
	return list
}

func (f figure) judge(samples []sample) verdict {
	v := verdict{name: f.name}
	var thirds [3]float64
	for i := range thirds {
		part := samples[i*len(samples)/3 : (i+1)*len(samples)/3]
		if f.perSale && i > 0 {
			part = samples[i*len(samples)/3-1 : (i+1)*len(samples)/3] // what is added between two thirds belongs to the later one
		}
		value, ok := f.value(part)
		if !ok {
			v.unknown = true
			return v
		}
		thirds[i] = value
	}
	v.start, v.middle, v.end = thirds[0], thirds[1], thirds[2]
	v.most = v.middle*(1+f.part) + f.plus
	v.grew = v.end > v.most
	return v
}

// value returns the median of the samples, or how much a sale added to a sum; false if too few samples have it.
func (f figure) value(samples []sample) (float64, bool) {
	var values, sales []float64
	for _, s := range samples {
		if value, ok := s[f.name]; ok {
			values, sales = append(values, value), append(sales, s[figSales])
		}
	}
	if len(values) < sampledAtLeast {
		return 0, false
	}
	if f.perSale {
		last := len(values) - 1
		sold := sales[last] - sales[0]
		return (values[last] - values[0]) / sold, sold > 0
	}
	slices.Sort(values)
	return values[len(values)/2], true
}

// figures returns what must be flat, with how much it may differ. Times and CPU have wide tolerances, because other work of the machine makes them
// longer; what leaks has narrow ones.
func figures(samples []sample, processes []*supervised) []figure {
	list := []figure{
		{"sale p50 ms", false, .25, 5}, {"sale p99 ms", false, .5, 50}, {"queue lag s", false, .25, 2}, {"outbox age s", false, .25, 1}, {"tasks that wait", false, .25, 50},
	}
	for _, p := range processes {
		name := strings.TrimSuffix(p.name, "-1")
		list = append(list, figure{name + " resident MiB", false, .1, 8}, figure{name + " heap goal MiB", false, .15, 4}, figure{name + " goroutines", false, .1, 10},
			figure{name + " files", false, .1, 5}, figure{name + " CPU ms", true, .25, .3})
	}
	list = append(list,
		figure{"postgres private MiB", false, .15, 16}, figure{"postgres connections", false, .1, 3}, figure{"postgres CPU ms", true, .25, .3}, figure{"dead rows %", false, .25, 5},
		figure{"redis used MiB", false, .1, 1}, figure{"redis resident MiB", false, .1, 4}, figure{"redis connections", false, .1, 3}, figure{"redis keys", false, .1, 500},
		figure{"redis CPU ms", true, .25, .1}, figure{"all tables KiB", true, .2, .1}, figure{"all indexes KiB", true, .2, .1},
	)
	return append(list, sizeFigures(samples)...)
}

// sizeFigures returns the tables with their indexes. Those that keep what was sold may grow with the sales, the others not at all.
func sizeFigures(samples []sample) (list []figure) {
	if len(samples) == 0 {
		return nil
	}
	for name := range samples[len(samples)-1] {
		what, table, _ := strings.Cut(strings.TrimSuffix(name, " KiB"), " ")
		switch {
		case what != "table" && what != "indexes":
		case slices.Contains(growing(), table):
			list = append(list, figure{name, true, .25, .1})
		default:
			list = append(list, figure{name, false, .1, 1024})
		}
	}
	slices.SortFunc(list, func(a, b figure) int { return strings.Compare(a.name, b.name) })
	return list
}

// word says what became of the figure.
func (v *verdict) word() string {
	switch {
	case v.unknown:
		return "NOT MEASURED"
	case v.grew:
		return "GREW"
	default:
		return "flat"
	}
}

// smallSize is the KiB below which a table that is flat is not shown.
const smallSize = 256

// printVerdicts writes a row for each figure; small tables only if they grew.
func printVerdicts(out io.Writer, list []verdict, figures []figure) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(w, "| figure\t| start\t| middle\t| end\t| at most\t| verdict\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for i := range list {
		v, f := &list[i], figures[i]
		small := strings.HasSuffix(v.name, " KiB") && !f.perSale && v.end < smallSize || f.perSale && strings.HasSuffix(v.name, " KiB") && v.end < .05
		if small && v.word() == "flat" {
			continue
		}
		name := v.name
		if f.perSale {
			name += " a sale"
		}
		_, _ = fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n", name, short(v.start), short(v.middle), short(v.end), short(v.most), v.word())
	}
	_ = w.Flush()
}

// short writes three digits or more.
func short(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
