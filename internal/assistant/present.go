package assistant

import (
	"slices"
	"strconv"
	"strings"

	"banca/internal/platform/businessday"
)

// english is the language in which identifiers need no words of their own.
const english = "en"

// Shapes of tables: a row, or a few with many columns, are turned, so that they fit a phone.
const (
	fewRows     = 3
	manyColumns = 5
)

// Markdown writes a result for a reader, without a model: a sentence with its main figure, its title, a table and its facts.
func Markdown(res *Result, language string) string {
	w := words{language}
	var b strings.Builder
	sentence := w.sentence(res)
	if sentence != "" {
		b.WriteString(sentence + "\n\n")
	}
	if len(res.Rows) == 1 {
		w.single(&b, res)
	} else {
		w.several(&b, res)
	}
	if int64(len(res.Rows)) < res.Total {
		b.WriteString("\n" + strings.NewReplacer("{shown}", strconv.Itoa(len(res.Rows)), "{all}", strconv.FormatInt(res.Total, 10)).Replace(textsIn(language).some) + "\n")
	}
	if len(res.Facts) > 0 {
		b.WriteString("\n")
	}
	for i := range res.Facts {
		f := &res.Facts[i]
		inSentence := sentence != "" && (f.Name == FactWeekBefore || f.Name == FactWeekPercent)
		if inSentence || factOf(res, f.Name) != nil { // the head of its column
			continue
		}
		b.WriteString("- " + w.of(f.Name) + ": **" + w.cell(f.Name, f.Value) + "**")
		if f.Unit != "" {
			b.WriteString(" " + escapeMarkdown(f.Unit))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

// several writes the title of a result without a row or with several, and its table.
func (w words) several(b *strings.Builder, res *Result) {
	parts := []string{"**" + w.of(res.Tool) + "**", w.period(res.From, res.To), escapeMarkdown(res.About)}
	if res.Tool == "comparePeriods" {
		res, parts[1] = compared(res), ""
	}
	b.WriteString(strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ") + "\n\n")
	switch {
	case len(res.Rows) == 0 && len(res.Facts) == 0:
		b.WriteString(textsIn(w.language).nothing + "\n")
	case len(res.Rows) > 1 && len(res.Rows) <= fewRows && len(res.Columns) > manyColumns:
		w.turned(b, res)
	case len(res.Rows) > 1:
		w.table(b, res)
	}
}

// compared returns a comparison without the figures that are zero in both periods or enter another one, sales net sales and paid prizes cash, as far as
// two are left, and without a currency that all rows have.
func compared(res *Result) *Result {
	out := *res
	figure, first, second := slices.Index(res.Columns, "figure"), slices.Index(res.Columns, "first"), slices.Index(res.Columns, "second")
	out.Rows = slices.DeleteFunc(slices.Clone(res.Rows), func(row []string) bool {
		return zero(row[first]) && zero(row[second]) || row[figure] == "sold" || row[figure] == "prizes_paid"
	})
	if len(out.Rows) < 2 {
		return res
	}
	at := slices.Index(res.Columns, "currency")
	if at < 0 || slices.ContainsFunc(out.Rows, func(row []string) bool { return row[at] != out.Rows[0][at] }) {
		return &out
	}
	without := func(row []string) []string { return slices.Delete(slices.Clone(row), at, at+1) }
	out.Columns = without(res.Columns)
	for i := range out.Rows {
		out.Rows[i] = without(out.Rows[i])
	}
	return &out
}

// head is the title of a column: the fact of its name, as the days of a compared period, else its word.
func (w words) head(res *Result, column string) string {
	if f := factOf(res, column); f != nil {
		return w.cell(f.Name, f.Value)
	}
	return w.of(column)
}

// factOf returns the fact that has the name of a column; nil for none.
func factOf(res *Result, column string) *Fact {
	if len(res.Rows) < 2 || !slices.Contains(res.Columns, column) {
		return nil
	}
	return factNamed(res, column)
}

// single writes the only row as a table of names and values below its title. Amounts have their currency, if the row has one; a figure that is zero or
// says what another one says is left out.
func (w words) single(b *strings.Builder, res *Result) {
	title := w.of(res.Tool)
	if res.About != "" {
		title += " · " + escapeMarkdown(res.About)
	}
	line(b, title, w.period(res.From, res.To))
	line(b, "---", "---:")
	row, unit := res.Rows[0], ""
	if at := slices.Index(res.Columns, "currency"); at >= 0 {
		unit = " " + escapeMarkdown(row[at])
	}
	for i, column := range res.Columns {
		switch cell := w.cell(column, row[i]); {
		case column == "currency" || zero(row[i]) || repeats(res, row, column):
		case isAmount(row[i]) && column != "percent":
			line(b, w.of(column), cell+unit)
		default:
			line(b, w.of(column), cell)
		}
		if column != "net_sales" {
			continue
		}
		if before := factNamed(res, FactWeekBefore); before != nil {
			line(b, w.of(before.Name), w.cell(before.Name, before.Value)+" "+escapeMarkdown(before.Unit))
		}
	}
}

// factNamed returns a fact of a result, nil for none.
func factNamed(res *Result, name string) *Fact {
	at := slices.IndexFunc(res.Facts, func(f Fact) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return &res.Facts[at]
}

// repeats reports whether a figure of a row equals the figure derived from it: sales without voids, and cash of a day whose prizes are paid.
func repeats(res *Result, row []string, column string) bool {
	at, other := slices.Index(res.Columns, column), slices.Index(res.Columns, map[string]string{"sold": "net_sales", "cash": "game_result"}[column])
	return other >= 0 && row[at] == row[other]
}

// turned writes each row as a column. A figure that is zero in all of them is left out.
func (w words) turned(b *strings.Builder, res *Result) {
	for i, column := range res.Columns {
		if i > 0 && !slices.ContainsFunc(res.Rows, func(row []string) bool { return !zero(row[i]) }) {
			continue
		}
		cells := []string{w.of(column)}
		for _, row := range res.Rows {
			cells = append(cells, w.cell(column, row[i]))
		}
		line(b, cells...)
		if i == 0 {
			line(b, "---"+strings.Repeat(" | ---:", len(res.Rows)))
		}
	}
}

// table writes the rows below their columns; columns of figures are aligned to the right.
func (w words) table(b *strings.Builder, res *Result) {
	heads, rules := make([]string, len(res.Columns)), make([]string, len(res.Columns))
	for i, column := range res.Columns {
		heads[i], rules[i] = w.head(res, column), "---"
		if isNumber(res.Rows[0][i]) {
			rules[i] = "---:"
		}
	}
	line(b, heads...)
	line(b, rules...)
	for _, row := range res.Rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = w.cell(res.Columns[i], row[i])
		}
		line(b, cells...)
	}
}

func line(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// words writes values of results in a language.
type words struct{ language string }

// period names the days from first to last; "" for none.
func (w words) period(first, last businessday.Day) string {
	switch {
	case first.IsZero():
		return ""
	case first == last:
		return w.day(first)
	default:
		return w.day(first) + textsIn(w.language).to + w.day(last)
	}
}

func (w words) day(d businessday.Day) string {
	if w.language == english {
		return d.String()
	}
	return d.Format("02/01/2006")
}

// of is the word of a tool, column or fact.
func (w words) of(identifier string) string {
	if w.language != english {
		if word, ok := spanish()[identifier]; ok {
			return word
		}
	}
	if word, ok := plainEnglish()[identifier]; ok {
		return word
	}
	word := strings.ReplaceAll(identifier, "_", " ")
	return strings.ToUpper(word[:1]) + word[1:]
}

// cell is a value for the reader: states, figures and days in words and forms of the language, anything else as it is.
func (w words) cell(column, value string) string {
	if column == "status" || column == "figure" {
		return escapeMarkdown(w.of(stateWord(column, value)))
	}
	if value == "total" {
		return w.of(value)
	}
	if isAmount(value) || counted(column) && isNumber(value) {
		return w.marked(value)
	}
	return escapeMarkdown(isoForm.ReplaceAllStringFunc(value, func(found string) string {
		if d, err := businessday.Parse(found); err == nil {
			return w.day(d)
		}
		return found
	}))
}

// marked writes a number with the marks of the language.
func (w words) marked(number string) string {
	if w.language == english {
		return grouped(number, ',', '.')
	}
	return grouped(number, '.', ',')
}

// stateWord is the identifier of the word of a state. States have words of their own, because "pending" is a sum elsewhere.
func stateWord(column, value string) string {
	if column == "status" {
		return "status_" + value
	}
	return value
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isAmount reports whether a text is a decimal with a fraction, as amounts in results are.
func isAmount(text string) bool {
	whole, fraction, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return ok && digits(whole) && digits(fraction)
}

// counted reports whether the whole numbers of a column are counts; others are names, such as the number of an outcome.
func counted(column string) bool {
	return slices.Contains([]string{"tickets", "voided_tickets", "pending_tickets", "lines", "first", "second", "difference"}, column)
}

func zero(text string) bool { return isNumber(text) && strings.Trim(text, "-0.") == "" }

func isNumber(text string) bool { return isAmount(text) || digits(strings.TrimPrefix(text, "-")) }

// grouped writes "-1234.56" with marks of thousands and fractions, as "-1.234,56", and "1234" as "1.234".
func grouped(amount string, thousands, point byte) string {
	sign := ""
	if strings.HasPrefix(amount, "-") {
		sign, amount = "-", amount[1:]
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	const group = 3
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%group == 0 {
			b.WriteByte(thousands)
		}
		b.WriteRune(c)
	}
	if fraction == "" {
		return sign + b.String()
	}
	return sign + b.String() + string(point) + fraction
}

// spanish are the words of tools, columns, facts and states.
func spanish() map[string]string {
	return map[string]string{
		"getDailyAggregatedBets": "Ventas", "getDailyBalance": "Saldo", "getTopNumbers": "Números más jugados", "getExposure": "Riesgo del sorteo",
		"getPendingPrizes": "Premios por pagar", "getDrawStatus": "Sorteos", "getSales": "Ventas", "getTicket": "Ticket", "getDailyClose": "Cierres de caja", "comparePeriods": "Comparación",

		"currency": "Moneda", "tickets": "Tickets vendidos", "voided_tickets": "Tickets anulados", "lines": "Jugadas vigentes", "sold": "Vendido", "voided": "Anulado", "refunded": "Devuelto", "net_sales": "Venta neta",
		"commission": "Comisión", "prizes_won": "Premios ganados", "prizes_paid": "Premios pagados", "game_result": "Resultado del juego", "cash": "Caja", "result_if_drawn": "Resultado si sale", "opening": "Saldo inicial", "closing": "Saldo final", "sale": "Ventas",
		"prize": "Premios", "deposit": "Depósitos", "withdrawal": "Retiros", "number": "Número", "name": "Nombre", "stake": "Jugado", "liability": "A pagar", "game": "Juego", "time": "Hora",
		"status": "Estado", "winner": "Ganador", "serial": "Serial", "ticket_point": "Taquilla", "sold_at": "Vendido el", "won": "Premio", "expires_at": "Vence", "entity": "Entidad",
		"day": "Día", "group": "", "draw": "Sorteo", "total": "Total", "selection": "Jugada", "amount": "Monto", "potential": "Premio posible", "expected_cash": "Efectivo esperado",
		"counted_cash": "Efectivo contado", "variance": "Diferencia", "figure": "", "first": "Primer período", "second": "Segundo período", "difference": "Diferencia", "percent": "%", FactWeekBefore: "Venta neta una semana antes", FactWeekPercent: "Cambio en %",
		"balance": "Saldo", "draw_sales": "Venta del sorteo", "draw_lines": "Jugadas del sorteo", "pending": "Por pagar", "pending_tickets": "Tickets por pagar", "paid": "Pagado",
		"paid_tickets": "Tickets pagados", "expired": "Vencido", "expired_tickets": "Tickets vencidos", "not_closed": "Taquillas sin cerrar", "not_closed_day": "Sin cerrar el", "open_point": "Falta",

		"Monday": "lunes", "Tuesday": "martes", "Wednesday": "miércoles", "Thursday": "jueves", "Friday": "viernes", "Saturday": "sábado", "Sunday": "domingo",

		"status_scheduled": "programado", "status_open": "abierto", "status_closed": "cerrado", "status_resulted": "con resultado", "status_settled": "liquidado", "status_suspended": "suspendido",
		"status_pending": "vigente", "status_won": "premiado", "status_lost": "no premiado", "status_paid": "pagado", "status_cancelled": "anulado", "status_expired": "vencido", "status_refunded": "devuelto",
	}
}

// plainEnglish are the words that the identifiers do not give.
func plainEnglish() map[string]string {
	return map[string]string{
		"getDailyAggregatedBets": "Sales", "getDailyBalance": "Balance", "getTopNumbers": "Top numbers", "getExposure": "Exposure of the draw", "getPendingPrizes": "Pending prizes", "getDrawStatus": "Draws",
		"getSales": "Sales", "getTicket": "Ticket", "getDailyClose": "Daily closes", "comparePeriods": "Comparison", "group": "", "figure": "", "percent": "%", "not_closed": "Ticket points not closed", "not_closed_day": "Not closed on", "open_point": "Missing",
		FactWeekBefore: "Net sales a week before", "status_scheduled": "scheduled", "status_open": "open", "status_closed": "closed", "status_resulted": "resulted", "status_settled": "settled", "status_suspended": "suspended",
		"status_pending": "pending", "status_won": "won", "status_lost": "lost", "status_paid": "paid", "status_cancelled": "cancelled", "status_expired": "expired", "status_refunded": "refunded",
	}
}
