package simulators

import (
	"regexp"
	"strings"

	"banca/internal/assistant/dates"
)

// chatResult is a result of a tool.
type chatResult struct {
	Tool    string     `json:"tool"`
	From    string     `json:"from"`
	To      string     `json:"to"`
	About   string     `json:"about"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note"`
	Problem string     `json:"problem"`
}

var englishForm = regexp.MustCompile(`\b(?:the|what|how|which|show|give|is|are|did|does|do|who|my|our|please|today|yesterday|last|this|were|was|of|much|many|tell|have|has|hello|write|ignore|sales|compare)\b`)

var spanishForm = regexp.MustCompile(`\b(?:cuanto|cuanta|cuantos|cuantas|cuales|cual|que|como|el|la|los|las|de|del|hoy|ayer|hice|dame|dime|quien|mi|mis|por|con|vs|en|un|una|es|va|vamos|hay)\b`)

// isEnglish guesses the language of a question.
func isEnglish(question string) bool {
	plain := dates.Normalise(question)
	return len(englishForm.FindAllString(plain, -1)) > len(spanishForm.FindAllString(plain, -1))
}

func decline(english bool) string {
	if english {
		return "I can only help with your sales, tickets, draws, prizes, risk, balances and daily closes."
	}
	return "Solo puedo ayudar con sus ventas, tickets, sorteos, premios, riesgo, saldos y cierres de caja."
}

// tell writes an answer from results: their periods, tables and notes, and no figure of its own.
func tell(results []chatResult, english bool) string {
	var b strings.Builder
	for i := range results {
		r := &results[i]
		if i > 0 {
			b.WriteString("\n")
		}
		if r.Problem != "" {
			b.WriteString(choose(english, "That could not be read: ", "No se pudo consultar: ") + clean(r.Problem) + "\n")
			continue
		}
		b.WriteString("**" + period(r, english) + "**")
		if r.About != "" {
			b.WriteString(" · " + clean(r.About))
		}
		b.WriteString("\n\n")
		if len(r.Rows) == 0 {
			b.WriteString(choose(english, "There are no figures for this. ", "No hay cifras para esto. "))
		} else {
			row(&b, r.Columns)
			row(&b, strings.Split(strings.TrimSuffix(strings.Repeat("---,", len(r.Columns)), ","), ","))
			for _, cells := range r.Rows {
				row(&b, cells)
			}
			b.WriteString("\n")
		}
		if r.Note != "" {
			b.WriteString(clean(r.Note) + "\n")
		}
	}
	return b.String()
}

func period(r *chatResult, english bool) string {
	switch r.From {
	case "":
		return choose(english, "All days", "Todos los días")
	case r.To:
		return r.From
	default:
		return r.From + choose(english, " to ", " al ") + r.To
	}
}

func choose(english bool, first, second string) string {
	if english {
		return first
	}
	return second
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("|")
	for _, cell := range cells {
		b.WriteString(" " + clean(cell) + " |")
	}
	b.WriteString("\n")
}

// clean keeps a text within its cell.
func clean(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "[", "\\[", "<", "&lt;").Replace(text)
}
