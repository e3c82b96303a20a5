package assistant

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"banca/internal/platform/businessday"
)

// placeholder is a column of a row, or else a fact, in a saying.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// sayings are the sentences of results by tool.
func sayings(language string) map[string]string {
	if language == english {
		return map[string]string{
			"getDailyAggregatedBets": "Net sales{when}: **{net_sales} {currency}** on {tickets} tickets{before}.", "getSales": "Net sales{when}: **{net_sales} {currency}**{before}.",
			"getDailyBalance": "The closing balance is **{closing} {currency}**.", "comparePeriods": "Net sales{when}: **{first} {currency}**, {change} the {second} {currency}{other}{before}.",
			"getTopNumbers": "Most played: **{number} {name}**, with {stake} {currency}.", "getExposure": "The most expensive outcome is **{number} {name}**: {liability} {currency} to pay.",
			"getPendingPrizes": "To be paid: **{pending}** on {pending_tickets} tickets.", "getDailyClose": "Ticket points not closed: **{not_closed}**.",
			"getTicket": "The ticket of **{total}** is {status}.", "getDrawStatus": "The winner of {game} {time} is **{winner}**.",
		}
	}
	return map[string]string{
		"getDailyAggregatedBets": "La venta neta{when} fue **{net_sales} {currency}** en {tickets} tickets{before}.", "getSales": "La venta neta{when} fue **{net_sales} {currency}**{before}.",
		"getDailyBalance": "El saldo final es **{closing} {currency}**.", "comparePeriods": "La venta neta{when} fue **{first} {currency}**, {change} los {second} {currency}{other}{before}.",
		"getTopNumbers": "El más jugado es **{number} {name}**, con {stake} {currency}.", "getExposure": "El resultado más caro es **{number} {name}**: {liability} {currency} por pagar.",
		"getPendingPrizes": "Faltan por pagar **{pending}** en {pending_tickets} tickets.", "getDailyClose": "Taquillas sin cerrar: **{not_closed}**.",
		"getTicket": "El ticket de **{total}** está {status}.", "getDrawStatus": "En {game} {time} salió **{winner}**.",
	}
}

// sentence tells the main figure of a result; "" if it has none. All its figures are in the result.
func (w words) sentence(res *Result) string {
	values := w.values(res)
	saying := strings.NewReplacer("{when}", w.when(res.From, res.To), "{other}", w.when(res.Other[0], res.Other[1]), "{before}", w.before(res, values)).Replace(sayings(w.language)[res.Tool])
	if saying == "" || res.Tool == "getDrawStatus" && len(res.Rows) != 1 {
		return ""
	}
	for _, part := range placeholder.FindAllStringSubmatch(saying, -1) {
		if values[part[1]] == "" {
			return ""
		}
	}
	text := placeholder.ReplaceAllStringFunc(saying, func(part string) string { return values[part[1:len(part)-1]] })
	return strings.Replace(text, " 1 tickets", " 1 ticket", 1)
}

// values are the facts of a result and the cells of its main row: the total of groups, the net sales of a comparison, else the first one.
func (w words) values(res *Result) map[string]string {
	values := map[string]string{}
	for i := range res.Facts {
		if f := &res.Facts[i]; values[f.Name] == "" {
			values[f.Name] = strings.TrimSpace(w.said(f.Name, f.Value) + " " + escapeMarkdown(f.Unit))
		}
	}
	if len(res.Rows) == 0 {
		return values
	}
	row := res.Rows[0]
	if at := slices.IndexFunc(res.Rows, func(row []string) bool { return row[0] == "total" || slices.Contains(row, "net_sales") }); at >= 0 {
		row = res.Rows[at]
	}
	for i, column := range res.Columns {
		values[column] = w.said(column, row[i])
	}
	if values["change"] = "frente a"; w.language == english {
		values["change"] = "against"
	}
	percent, compared := values["percent"]
	if !compared {
		percent = values[FactWeekPercent]
	}
	if percent != "" {
		more, less := " % más que", " % menos que"
		if w.language == english {
			more, less = " % more than", " % less than"
		}
		if values["change"] = percent + more; strings.HasPrefix(percent, "-") {
			values["change"] = percent[1:] + less
		}
	}
	return values
}

// said is a value in a sentence: percentages are rounded there, everything else is as in a cell.
func (w words) said(column, value string) string {
	if isPercent(column) {
		return w.marked(rounded(value))
	}
	return w.cell(column, value)
}

func isPercent(column string) bool { return column == "percent" || column == FactWeekPercent }

// rounded is a percentage without decimals from 10 on, with one below.
func rounded(percent string) string {
	const whole, tenths = 10, 10
	value, err := strconv.ParseFloat(percent, 64)
	if err != nil {
		return percent
	}
	if short := math.Round(value*tenths) / tenths; math.Abs(short) < whole {
		return strconv.FormatFloat(short, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
}

// before compares the net sales of a day with the net sales of a week before; beside a comparison with another day it names them only.
func (w words) before(res *Result, values map[string]string) string {
	was, compared, weekday := values[FactWeekBefore], !res.Other[0].IsZero(), w.of(res.From.Weekday().String())
	switch {
	case was == "":
		return ""
	case compared && w.language == english:
		return "; the " + weekday + " before they were " + was
	case compared:
		return "; el " + weekday + " anterior fueron " + was
	case w.language == english:
		return ", " + values["change"] + " the " + was + " a week before"
	default:
		return ", " + values["change"] + " los " + was + " de una semana antes"
	}
}

// when names the days of a sentence, a single one with its weekday; "" for none.
func (w words) when(first, last businessday.Day) string {
	days := w.period(first, last)
	if first == last {
		days = w.of(first.Weekday().String()) + " " + days
	}
	switch {
	case first.IsZero():
		return ""
	case w.language != english:
		return " del " + days
	case first == last:
		return " of " + days
	default:
		return " from " + days
	}
}
