package web

import (
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// depositIn types a deposit, and confirms the question about it if the form is accepted.
func depositIn(tab *chromium.Tab, reference string) {
	tab.Fill("#amount", "150,00")
	tab.Fill("#reference", reference)
	tab.Follow(`form[action$="/deposit"] button[type=submit]`)
}

// After the button back of the browser, a form that was saved is sent again: nothing is done twice, and the page says so.
func TestBackAfterASavedForm(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	wallet := server + walletPath(seed.CodeTicketPoint, "VES")
	deposits := func() (n int) {
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'wallets' AND action = 'deposit'`).Scan(&n))
		return n
	}
	tab.Visit(wallet + "/deposit")
	depositIn(tab, "D-77")
	tab.Follow(`#sure button.grave, #sure form:first-of-type button[type=submit]`)
	assert.Equal(t, 1, deposits())

	tab.Visit(wallet + "/deposit") // as two steps back lead to the form, whose pages are not kept
	depositIn(tab, "D-77")
	tab.Expect("409 POST")
	tab.Follow(`#sure form:first-of-type button[type=submit]`)
	assert.Contains(t, tab.Text("main"), "referencia")
	assert.Equal(t, 1, deposits(), "the same deposit is not made again")

	at := server + entityPath(seed.CodeAgency)
	tab.Visit(at)
	open := `(function () {
		for (let part = document.querySelector("form[action$='/facts']"); part; part = part.parentElement.closest("details")) part.open = true
		return true
	})()`
	chromium.Value[bool](tab, open)
	tab.Fill("form[action$='/facts'] [name=name]", "Agencia Nueva")
	tab.Follow("form[action$='/facts'] button[type=submit]")
	tab.Back()
	chromium.Value[bool](tab, open)
	tab.Fill("form[action$='/facts'] [name=name]", "Agencia Nueva")
	tab.Follow("form[action$='/facts'] button[type=submit]")
	var changes int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'entities' AND action = 'update'`).Scan(&changes))
	assert.Equal(t, 1, changes, "the activity log has one change")
}

// tabsOfAForm is how many tabs show the same form.
const tabsOfAForm = 5

// A form that is open in five tabs, and a button that is pressed twice, do once what they say.
func TestTheSameFormInFiveTabs(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	first, server := enterInBrowser(t, p.engine)
	at := server + walletPath(seed.CodeTicketPoint, "VES") + "/deposit"
	tabs := []*chromium.Tab{first}
	for len(tabs) < tabsOfAForm {
		tabs = append(tabs, first.Another())
	}
	for _, tab := range tabs {
		tab.Visit(at)
		depositIn(tab, "D-5")
	}
	for i, tab := range tabs {
		if i > 0 {
			tab.Expect("409 POST")
		}
		tab.Follow(`#sure form:first-of-type button[type=submit]`)
		if i > 0 {
			assert.Contains(t, tab.Text("main"), "referencia")
		}
	}
	first.Visit(at)
	depositIn(first, "D-6")
	chromium.Value[bool](first, `(button => { for (let i = 0; i < 2; i++) button.click(); return true })(document.querySelector("#sure form button[type=submit]"))`)
	first.Until(`location.search.includes("done=")`)
	var made int
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'wallets' AND action = 'deposit'`).Scan(&made))
	assert.Equal(t, 2, made)

	key, wallet := uuid.NewString(), walletPath(seed.CodeTicketPoint, "VES")+"/deposit"
	p.enter(t, "admin@banca.test")
	for range 2 { // as a double click sends it
		p.send(t, wallet, wallet, 303, url.Values{"amount": {"10,00"}, "reference": {"D-7"}, "key": {key}, "sure": {"1"}})
	}
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE module = 'wallets' AND action = 'deposit'`).Scan(&made))
	assert.Equal(t, 3, made)
}

// The password is asked for inside the form of the results board: what was typed is saved after it, and nothing before it.
func TestTheResultsBoardAsksForThePassword(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 2)
	tab, server := enterInBrowser(t, s.engine)
	typed := func() int64 {
		return s.Number(t, `SELECT count(*) FROM results WHERE origin = 'typed' AND status = 'proposed'`)
	}
	before := typed()
	tab.Visit(server + resultsPath)
	s.forgetConfirmation(t)
	chromium.Value[bool](tab, `document.querySelector("form[action*='/enter'] input[name^='r-']").focus() ?? true`)
	typeResults(t, tab, 2)
	tab.Expect("403 POST")
	tab.PressTo("\r")
	require.Equal(t, before, typed(), "nothing is saved without the password")
	tab.Fill("#confirm_password", "wrong")
	tab.Expect("403 POST")
	tab.Follow("main form button[type=submit]")
	tab.Fill("#confirm_password", password)
	tab.Follow("main form button[type=submit]")
	assert.Contains(t, tab.Text("main"), "Los resultados están guardados")
	assert.Equal(t, before+2, typed(), "both results that were typed before the password")
}

// A preview that is refused leaves the page as it is: it is not sent again as a form, which would load another page.
func TestARefusedPreviewLeavesThePage(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + gamePath("lotto-activo") + "/payouts")
	tab.Fill("#payout\\.straight", "33")
	tab.Until(`document.querySelector("#margin").textContent.includes("13,16 %")`)
	shown := tab.Text("#margin")
	chromium.Value[bool](tab, `(() => {
		window.same = true;
		window.answers = 0;
		document.addEventListener("htmx:afterRequest", () => window.answers++);
		document.querySelector("form.edits [name=form_token]").value = "0".repeat(64);
		return true;
	})()`)
	tab.Expect("403 POST")
	tab.Fill("#payout\\.straight", "34")
	tab.Until(`window.answers === 1`)
	tab.Until(`document.readyState === "complete"`)
	assert.True(t, chromium.Value[bool](tab, `window.same === true`), "no other page was loaded")
	assert.Equal(t, shown, tab.Text("#margin"))
	assert.Equal(t, "34", chromium.Value[string](tab, `document.getElementById("payout.straight").value`))
	tab.Expect("403 POST")
	tab.Follow(`main .row button[value=review]`)
	assert.NotContains(t, chromium.Value[string](tab, `Object.keys(window).join()`), "same", "what a person sends loads a page that says why it is refused")
}
