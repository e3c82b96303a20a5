package assistant

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"banca/internal/assistant/dates"
	"banca/internal/completion"
)

// fallback answers without a model: the figures that were read already, or else those of the plain tools for the days that the question names.
func (s *Service) fallback(ctx context.Context, r *run, reason string) error {
	if r.text.Len() > 0 {
		r.add(ctx, "\n\n---\n\n")
	}
	r.add(ctx, reason+"\n\n")
	if len(r.results) == 0 {
		if err := s.plain(ctx, r); err != nil {
			return err
		}
	}
	shown := false
	for i := range r.results {
		if r.results[i].Problem == "" {
			r.add(ctx, s.markdown(r, &r.results[i]))
			shown = true
		}
	}
	if !shown {
		r.add(ctx, s.textsOf(r).nothing)
	}
	return nil
}

// plain runs the plain tools.
func (s *Service) plain(ctx context.Context, r *run) error {
	args := Arguments{}
	if found, ok := dates.Find(r.question, s.today()); ok {
		args.Date = found.Phrase
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return err
	}
	for i := range s.Tools {
		if !s.Tools[i].Plain {
			continue
		}
		if _, err := s.call(ctx, r, &completion.Call{Name: s.Tools[i].Name, Arguments: string(encoded)}); err != nil {
			return err
		}
	}
	return nil
}

// markdown writes a result as a table. A result of one row is turned, because it has many columns.
func (s *Service) markdown(r *run, res *Result) string {
	var b strings.Builder
	b.WriteString("**" + r.word(res.Tool) + "**")
	if period := s.period(r, res); period != "" {
		b.WriteString(" · " + period)
	}
	if res.About != "" {
		b.WriteString(" · " + escapeMarkdown(res.About))
	}
	b.WriteString("\n\n")
	switch {
	case len(res.Rows) == 0:
		b.WriteString(s.textsOf(r).nothing + "\n")
	case len(res.Rows) == 1:
		line(&b, " ", " ")
		line(&b, "---", "---")
		for i, column := range res.Columns {
			line(&b, r.word(column), r.cell(res.Rows[0][i]))
		}
	default:
		words := make([]string, len(res.Columns))
		rule := make([]string, len(res.Columns))
		for i, column := range res.Columns {
			words[i], rule[i] = r.word(column), "---"
		}
		line(&b, words...)
		line(&b, rule...)
		for _, row := range res.Rows {
			cells := make([]string, len(row))
			for i := range row {
				cells[i] = r.cell(row[i])
			}
			line(&b, cells...)
		}
	}
	b.WriteString("\n")
	return b.String()
}

func line(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// period names the days of a result.
func (s *Service) period(r *run, res *Result) string {
	layout := "02/01/2006"
	if r.language == "en" {
		layout = "2006-01-02"
	}
	if res.From.IsZero() {
		return ""
	}
	if res.From == res.To {
		return res.From.Format(layout)
	}
	return res.From.Format(layout) + s.textsOf(r).to + res.To.Format(layout)
}

// word is the word of a tool or column for the reader.
func (r *run) word(identifier string) string {
	if r.language != "en" {
		if word, ok := spanish()[identifier]; ok {
			return word
		}
	}
	identifier = strings.TrimPrefix(identifier, "get")
	var b strings.Builder
	for i, c := range identifier {
		if c >= 'A' && c <= 'Z' && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(strings.ReplaceAll(b.String(), "_", " "))
}

// cell is a value for the reader: an amount in the form of the language, anything else as it is.
func (r *run) cell(value string) string {
	if r.language == "en" || !isAmount(value) {
		return escapeMarkdown(value)
	}
	return local(value)
}

// isAmount reports whether a text is a decimal with a fraction, as amounts in results are.
func isAmount(text string) bool {
	whole, fraction, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(t string) bool { return t != "" && strings.Trim(t, "0123456789") == "" }
	return ok && digits(whole) && digits(fraction)
}

// local writes "-1234.56" as "-1.234,56".
func local(amount string) string {
	sign := ""
	if strings.HasPrefix(amount, "-") {
		sign, amount = "-", amount[1:]
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	const group = 3
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%group == 0 {
			b.WriteByte('.')
		}
		b.WriteRune(c)
	}
	return sign + b.String() + "," + fraction
}
