package banksim

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typed are fields of both phases, some of them empty or absent.
func typed() map[string]string {
	return map[string]string{
		"IdCliente": "V12345678", "Monto": "150.99", "TelefonoComercio": "04141112233",
		"IdComercio": "", "TelefonoEmisor": "04145556677", "Concepto": "<Ñandú & \"O'Hara\">", "BancoEmisor": "0134",
		"Referencia": "000012345678", "CodigoRed": "00",
	}
}

// of keeps the fields of a phase.
func of(phase Phase, fields map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range FieldNames(phase) {
		if value, given := fields[name]; given {
			out[name] = value
		}
	}
	return out
}

const (
	queryBody = `/api/BancoConsulta {"IdCliente":"V12345678","TelefonoComercio":"04141112233","Monto":"150.99"}`
	noticePre = `/api/BancoNotifica {"IdComercio":"","TelefonoComercio":"04141112233","TelefonoEmisor":"04145556677",` +
		`"Concepto":"<Ñandú & \"O'Hara\">","BancoEmisor":"0134","Monto":"150.99","Referencia":"000012345678","CodigoRed":`
	noticeBody = noticePre + `"00"}`
)

func TestScenariosSendExactly(t *testing.T) {
	t.Parallel()
	queryMore, noticeMore := strings.Replace(queryBody, "150.99", "151.00", 1), strings.Replace(noticeBody, "150.99", "151.00", 1)
	queryCut, noticeCut := strings.TrimSuffix(queryBody, "}"), strings.TrimSuffix(noticeBody, "}")
	for _, c := range []struct {
		scenario Scenario
		phase    Phase
		want     []string
	}{
		{Plain, PhaseA, []string{queryBody}},
		{Plain, PhaseB, []string{noticeBody}},
		{Plain, PhaseAB, []string{queryBody, noticeBody}},
		{Repeat, PhaseA, []string{queryBody, queryBody}},
		{Repeat, PhaseB, []string{noticeBody, noticeBody}},
		{Repeat, PhaseAB, []string{queryBody, noticeBody, noticeBody}},
		{WrongAmount, PhaseA, []string{queryMore}},
		{WrongAmount, PhaseB, []string{noticeMore}},
		{WrongAmount, PhaseAB, []string{queryBody, noticeMore}},
		{CodeThenApproved, PhaseB, []string{noticePre + `"51"}`, noticeBody}},
		{CodeThenApproved, PhaseAB, []string{queryBody, noticePre + `"51"}`, noticeBody}},
		{WrongToken, PhaseAB, []string{queryBody, noticeBody}},
		{Malformed, PhaseA, []string{queryCut}},
		{Malformed, PhaseB, []string{noticeCut}},
		{Malformed, PhaseAB, []string{queryCut, noticeCut}},
	} {
		t.Run(string(c.scenario)+" "+string(c.phase), func(t *testing.T) {
			t.Parallel()
			hooks, server := start(t)
			s := simulator(t, time.Minute, server.URL+"/api")
			exchanges := run(t, s, &Run{
				Target: server.URL + "/api/", Phase: c.phase, Scenario: c.scenario, Token: testToken, Fields: of(c.phase, typed()),
			})
			assert.Equal(t, c.want, hooks.bodies())
			assertTokens(t, hooks.seen, c.scenario)
			assertShown(t, exchanges, hooks.seen, server.URL)
		})
	}
}

// assertTokens checks the Authorization headers that were sent.
func assertTokens(t *testing.T, seen []received, scenario Scenario) {
	t.Helper()
	for _, r := range seen {
		assert.Equal(t, "application/json", r.header.Get("Content-Type"))
		if scenario != WrongToken {
			assert.Equal(t, testToken, r.authorization)
			continue
		}
		assert.NotEqual(t, testToken, r.authorization)
		assert.NoError(t, uuid.Validate(r.authorization))
		assert.Equal(t, seen[0].authorization, r.authorization)
	}
}

// assertShown checks that the exchanges show the requests that were sent, except the token.
func assertShown(t *testing.T, exchanges []Exchange, seen []received, server string) {
	t.Helper()
	require.Len(t, exchanges, len(seen))
	for i, x := range exchanges {
		assert.Equal(t, seen[i].path+" "+seen[i].body, strings.TrimPrefix(x.URL, server)+" "+x.RequestBody)
		assert.Equal(t, http.MethodPost, x.Method)
		assert.Equal(t, http.StatusOK, x.Status)
		assert.Empty(t, x.Error)
		assert.Positive(t, x.Latency)
		phase, answer := PhaseB, `{"abono":true}`
		if strings.HasSuffix(x.URL, "/BancoConsulta") {
			phase, answer = PhaseA, `{"status":true}`
		}
		assert.Equal(t, phase, x.Phase)
		assert.Equal(t, answer, x.ResponseBody)
		assert.Contains(t, x.ResponseHeaders, "Content-Type: ")
		for name, values := range seen[i].header {
			if name == "Authorization" {
				sent := values[0]
				values = []string{strings.Repeat("*", len(sent)-4) + sent[len(sent)-4:]}
			}
			assert.Contains(t, strings.Split(x.RequestHeaders, "\n"), name+": "+values[0])
		}
		// Connection is read off the header by the server.
		assert.Len(t, strings.Split(x.RequestHeaders, "\n"), len(seen[i].header)+1, "Host besides:\n%s", x.RequestHeaders)
	}
}

func TestCodeThenApprovedAddsTheField(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	run(t, simulator(t, time.Minute, server.URL), &Run{Target: server.URL, Phase: PhaseB, Scenario: CodeThenApproved, Token: testToken})
	assert.Equal(t, []string{`/BancoNotifica {"CodigoRed":"51"}`, `/BancoNotifica {"CodigoRed":"00"}`}, hooks.bodies())
}

func TestAtOnceSendsItsCallsConcurrently(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	under, all := 0, make(chan struct{})
	server := handle(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/BancoConsulta" {
			return
		}
		_, err := io.Copy(io.Discard, r.Body)
		assert.NoError(t, err)
		mu.Lock()
		under++
		if under == atOnce {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all: // no answer before all requests have arrived
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusOK)
	})
	s := simulator(t, 20*time.Second, server.URL)
	exchanges := run(t, s, &Run{Target: server.URL, Phase: PhaseAB, Scenario: AtOnce, Token: testToken, Fields: typed()})
	require.Len(t, exchanges, 1+atOnce)
	assert.Equal(t, PhaseA, exchanges[0].Phase)
	for _, x := range exchanges[1:] {
		assert.Equal(t, PhaseB, x.Phase)
		assert.Equal(t, http.StatusOK, x.Status, x.Error)
	}
}

func TestNoTokenSendsNoHeader(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	exchanges := run(t, simulator(t, time.Minute, server.URL), &Run{Target: server.URL, Phase: PhaseA, Scenario: Plain, Token: " \n"})
	assert.NotContains(t, hooks.seen[0].header, "Authorization")
	assert.NotContains(t, exchanges[0].RequestHeaders, "Authorization")
	assert.NotContains(t, exchanges[0].Curl, "Authorization")
	assert.Equal(t, "{}", exchanges[0].RequestBody)
}

func TestFieldNames(t *testing.T) {
	t.Parallel()
	assert.ElementsMatch(t, []string{"IdCliente", "Monto", "TelefonoComercio"}, FieldNames(PhaseA))
	both := map[string]bool{}
	for _, name := range append(FieldNames(PhaseA), FieldNames(PhaseB)...) {
		both[name] = true
	}
	assert.Len(t, FieldNames(PhaseAB), len(both))
	for _, name := range FieldNames(PhaseAB) {
		assert.Contains(t, both, name)
	}
	assert.Nil(t, FieldNames("C"))
}

func TestOneCentMoreAddsToDecimals(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]string{
		"150": "150.01", "0": "0.01", "0.99": "1.00", "99.99": "100.00", "1.5": "1.51", "1.9": "1.91", "007.00": "007.01", "1.009": "1.019",
		"9.999": "10.009", strings.Repeat("9", 40) + ".99": "1" + strings.Repeat("0", 40) + ".00",
		"": "", "-1": "", "1,5": "", ".5": "", "5.": "", "1e3": "", "1.2.3": "", "1.-1": "", "٣": "",
	} {
		got, ok := oneCentMore(amount)
		assert.Equal(t, want, got, amount)
		assert.Equal(t, want != "", ok, amount)
	}
}
