package bank

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// maxStatementLines bounds the lines of a statement below its heading.
const maxStatementLines = 50_000

// statementLine is a credit of a bank statement.
type statementLine struct {
	number    int // in the file, the heading being 1
	date      businessday.Day
	bank      string // "" if the statement has no bank
	reference string
	amount    money.Amount
}

// columns maps the possible headings of a statement's columns, in lower case, to their fields.
func columns() map[string]string {
	return map[string]string{
		"date": "date", "fecha": "date", "reference": "reference", "referencia": "reference", "amount": "amount", "monto": "amount",
		"credit": "amount", "crédito": "amount", "credito": "amount", "abono": "amount", "bank": "bank", "banco": "bank",
	}
}

// parseStatement reads the credits of a statement: CSV with a heading, UTF-8 or Latin-1, separated by commas or
// semicolons, with date, reference, amount and, optionally, the issuing bank. Dates are days of zone. Lines without a
// credit (debits, zero, no amount) are skipped and counted. Errors: ErrStatement, naming the first bad line.
func parseStatement(raw []byte, zone *time.Location) (lines []statementLine, skipped int, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(raw) {
		raw = fromLatin1(raw)
	}
	r := csv.NewReader(bytes.NewReader(raw))
	heading, _, _ := bytes.Cut(raw, []byte("\n"))
	if bytes.Count(heading, []byte(";")) > bytes.Count(heading, []byte(",")) {
		r.Comma = ';'
	}
	titles, err := r.Read()
	if err != nil {
		return nil, 0, ErrStatement.WithCause(err)
	}
	at := map[string]int{}
	for i, title := range titles {
		name, ok := columns()[strings.ToLower(strings.TrimSpace(title))]
		if !ok {
			continue
		}
		if _, twice := at[name]; twice {
			return nil, 0, ErrStatement.WithDetails(apperr.Detail{
				Location: "heading", Message: apperr.Messagef("has two columns %s", name),
			})
		}
		at[name] = i
	}
	for _, needed := range []string{"date", "reference", "amount"} {
		if _, ok := at[needed]; !ok {
			return nil, 0, ErrStatement.WithDetails(apperr.Detail{
				Location: "heading", Message: apperr.Messagef("has no column %s", needed),
			})
		}
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return lines, skipped, nil
		}
		if err != nil || len(lines)+skipped == maxStatementLines {
			return nil, 0, ErrStatement.WithDetails(apperr.Detail{Location: "line " + strconv.Itoa(unreadableLine(r, err)), Message: "cannot be read"})
		}
		number, _ := r.FieldPos(0)
		line, field := parseLine(record, at, zone)
		switch field {
		case "":
			line.number = number
			lines = append(lines, line)
		case "no credit":
			skipped++
		default:
			return nil, 0, ErrStatement.WithDetails(apperr.Detail{
				Location: "line " + strconv.Itoa(number), Message: apperr.Messagef("has no valid %s", field),
			})
		}
	}
}

// fromLatin1 converts a Latin-1 text, as Windows programs write it, to UTF-8.
func fromLatin1(raw []byte) []byte {
	text := make([]rune, len(raw))
	for i, b := range raw {
		text[i] = rune(b)
	}
	return []byte(string(text))
}

// unreadableLine returns the number of the line that could not be read or exceeds the limit.
func unreadableLine(r *csv.Reader, err error) int {
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return bad.StartLine
	}
	line, _ := r.FieldPos(0)
	return line
}

// parseLine parses one line. field is the name of an invalid column, "no credit" for a line to skip, or "".
func parseLine(record []string, at map[string]int, zone *time.Location) (line statementLine, field string) {
	cell := func(name string) string {
		if i, ok := at[name]; ok && i < len(record) {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	amount, ok := statementAmount(cell("amount"))
	if !ok {
		return line, "amount"
	}
	if amount <= 0 {
		return line, "no credit"
	}
	line.amount = amount
	date, err := ParseInstant(cell("date"), zone)
	if err != nil {
		return line, "date"
	}
	line.date = businessday.Of(date, zone)
	line.reference = cell("reference")
	if line.reference == "" || len(line.reference) > maxReference || !isDigits(line.reference) {
		return line, "reference"
	}
	if bank := cell("bank"); bank != "" {
		if line.bank, err = ParseBankCode(bank); err != nil {
			return line, "bank"
		}
	}
	return line, ""
}

// statementAmount parses "1.234,56", "1,234.56" and "1234.56". The last separator is the decimal one if at most
// AmountDigits digits follow it. Debits and empty texts are 0.
func statementAmount(text string) (money.Amount, bool) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, " ", ""), "+")
	if text == "" || strings.HasPrefix(text, "-") {
		return 0, true
	}
	whole, separator, decimal := text, "", ""
	if i := strings.LastIndexAny(text, ".,"); i >= 0 && len(text)-i-1 <= AmountDigits {
		whole, separator, decimal = text[:i], text[i:i+1], text[i+1:]
	}
	whole, ok := ungroup(whole, separator)
	if !ok {
		return 0, false
	}
	if decimal != "" {
		whole += "." + decimal
	}
	amount, err := money.ParseOrZero(whole, AmountDigits)
	return amount, err == nil
}

// ungroup removes the thousands separators. ok is false unless they are all the same, other than the decimal separator,
// and every group but a shorter first one has three digits: "1234.567" is an amount with three decimals, not 1234567.
func ungroup(whole, decimal string) (digits string, ok bool) {
	i := strings.IndexAny(whole, ".,")
	if i < 0 {
		return whole, true
	}
	separator := whole[i : i+1]
	groups := strings.Split(whole, separator)
	for _, g := range groups[1:] {
		if len(g) != groupDigits {
			return "", false
		}
	}
	return strings.Join(groups, ""), separator != decimal && 1 <= i && i <= groupDigits
}

// groupDigits is the number of digits between two thousands separators.
const groupDigits = 3
