package test

import (
	"net/http"
	"strconv"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// The counter asks once, in words, about an amount above what the entity asks about, per line and per ticket; Enter alone answers.
func counterAsksAboutLargeAmounts(c *counter) {
	t := c.t
	user := c.elsewhere("grande@banca.test")
	changed := c.do(http.MethodPatch, "/entities/"+seed.ID("entity", seed.CodeTicketPoint2).String(), c.confirmed(panelUser),
		map[string]any{"config_info": map[string]any{"confirm_line_above": 20, "confirm_ticket_above": 40}}, "")
	require.Equal(t, http.StatusOK, changed.status, string(changed.raw))
	c.openAs(user, elsewherePassword)
	c.keys("05")
	c.tab.Press("21" + kb.Enter + kb.Enter)
	assert.Equal(t, "Son veintiún bolívares en una jugada. Enter lo agrega.", c.tab.Text("#said"))
	c.shot("large-line")
	assert.Zero(t, c.count("#lines .row"), "two quick presses are one")
	c.keys(kb.F12)
	assert.Zero(t, c.count("#lines .row"), "F12 answers no question")
	c.keys("18", "20", kb.Enter)
	assert.Zero(t, c.count("#lines .row"), "typed on without a look at the page")
	assert.Contains(t, c.tab.Text("#said"), "No se agregó: el monto es grande.")
	assert.Equal(t, "21", c.value("amount"))
	c.keys(kb.Escape, kb.Escape, "05", "21", kb.Enter, kb.Enter)
	require.Equal(t, 1, c.count("#lines .row"))
	c.keys("07", "20", kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"), "not above")
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome [data-do=asked]") !== null`)
	assert.Contains(t, c.tab.Text("#outcome"), "Son cuarenta y un bolívares en un ticket.")
	c.shot("large-ticket")
	c.audit()
	c.keys(kb.F12)
	assert.Equal(t, 2, c.count("#lines .row"), "F12 answers no question")
	c.keys(kb.Enter)
	sold := c.get("/sales/tickets?serial_code="+c.sold(), c.loginWith(user, elsewherePassword)).list()
	require.Len(t, sold, 1)
	assert.Equal(t, "41.00", sold[0]["total"])
	c.keys("05", "12,50", kb.Enter, "05", "12,50", kb.Enter)
	require.Equal(t, 1, c.count("#lines .row"), "added to an equal line")
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome [data-do=asked]") !== null`)
	assert.Contains(t, c.tab.Text("#outcome"), "Son veinticinco bolívares en una jugada: 5 León.")
	c.keys(kb.Enter)
	c.sold()
}

// confirmed is the token of a user whose password is confirmed.
func (c *counter) confirmed(user string) string {
	c.t.Helper()
	token := c.login(user)
	answer := c.post("/auth/confirm", token, map[string]any{"password": seed.Password}, "")
	require.Less(c.t, answer.status, http.StatusMultipleChoices, string(answer.raw))
	return token
}

// Numbers in words, in both languages.
func counterWritesNumbersInWords(c *counter) {
	t := c.t
	c.open()
	for number, words := range map[int][2]string{
		0: {"cero", "zero"}, 1: {"un", "one"}, 15: {"quince", "fifteen"}, 16: {"dieciséis", "sixteen"}, 21: {"veintiún", "twenty-one"}, 30: {"treinta", "thirty"},
		31: {"treinta y un", "thirty-one"}, 100: {"cien", "one hundred"}, 101: {"ciento un", "one hundred and one"}, 115: {"ciento quince", "one hundred and fifteen"},
		500: {"quinientos", "five hundred"}, 999: {"novecientos noventa y nueve", "nine hundred and ninety-nine"}, 1000: {"mil", "one thousand"},
		1001: {"mil un", "one thousand and one"}, 1100: {"mil cien", "one thousand one hundred"}, 2000: {"dos mil", "two thousand"},
		21_000: {"veintiún mil", "twenty-one thousand"}, 100_000: {"cien mil", "one hundred thousand"}, 101_021: {"ciento un mil veintiún", "one hundred and one thousand and twenty-one"},
		1_000_000: {"un millón", "one million"}, 1_000_001: {"un millón un", "one million and one"}, 21_000_000: {"veintiún millones", "twenty-one million"},
		1_234_567_890: {
			"mil doscientos treinta y cuatro millones quinientos sesenta y siete mil ochocientos noventa",
			"one thousand two hundred and thirty-four million five hundred and sixty-seven thousand eight hundred and ninety",
		},
	} {
		for i, language := range []string{"es", "en"} {
			assert.Equal(t, words[i], browser.Value[string](c.tab, `import("/admin/static/pos-words.js").then(words => words.numberWords(`+strconv.Itoa(number)+`, "`+language+`"))`), number)
		}
	}
	for amount, words := range map[int]string{
		100: "un bolívar", 50_000: "quinientos bolívares", 100_000_000: "un millón de bolívares", 100_050_001: "un millón quinientos bolívares con un céntimo",
		1250: "doce bolívares con cincuenta céntimos",
	} {
		assert.Equal(t, words, browser.Value[string](c.tab, `import("/admin/static/pos-words.js").then(words => words.inWords(`+strconv.Itoa(amount)+`, {code: "VES", digits: 2}, "es"))`))
	}
}
