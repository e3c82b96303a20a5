package simulators

import (
	"regexp"
	"strings"

	"banca/internal/assistant"
	"banca/internal/assistant/dates"
)

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

// tell writes an answer from results, and no figure of its own.
func tell(results []assistant.Result, english bool) string {
	language := choose(english, "en", "es")
	var b strings.Builder
	for i := range results {
		if r := &results[i]; r.Problem != "" {
			b.WriteString(choose(english, "That could not be read: ", "No se pudo consultar: ") + problem(r.Problem, english) + candidates(r) + "\n\n")
			continue
		}
		b.WriteString(assistant.Markdown(&results[i], language))
	}
	return strings.TrimSpace(b.String())
}

// candidates lists the names that a refused one may mean.
func candidates(r *assistant.Result) string {
	var names []string
	for _, row := range r.Rows {
		names = append(names, row[0])
	}
	if len(names) == 0 {
		return ""
	}
	return " " + strings.Join(names, ", ") + "?"
}

// problem says in words of the reader why a tool refused.
func problem(text string, english bool) string {
	if english {
		return text
	}
	for part, spanish := range map[string]string{
		"date is not": "no entiendo la fecha; pruebe con «ayer», «el lunes pasado» o «del 1 al 15».", "no such branch": "no hay una entidad con ese nombre en su red.", "no such game": "no hay un juego con ese nombre.",
		"no such draw": "no hay un sorteo así en esos días.", "time is not": "no entiendo la hora; pruebe con «7 pm» o «19:00».", "several games": "¿cuál juego:", "several branches": "¿cuál entidad:", "ticket": "no hay un ticket con ese serial en su red.",
	} {
		if strings.Contains(text, part) {
			return spanish
		}
	}
	return "intente de otra manera."
}

func choose(english bool, first, second string) string {
	if english {
		return first
	}
	return second
}
