package banksim

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
)

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	s := simulator(t, time.Minute, server.URL+"/api")
	for name, c := range map[string]struct {
		change func(*Run)
		want   string // locations
	}{
		"another target":    {func(r *Run) { r.Target = "https://example.com" }, "target"},
		"no target":         {func(r *Run) { r.Target = "" }, "target"},
		"another base path": {func(r *Run) { r.Target = server.URL }, "target"},
		"a longer path":     {func(r *Run) { r.Target = server.URL + "/api/v1" }, "target"},
		"a query":           {func(r *Run) { r.Target = server.URL + "/api?a=b" }, "target"},
		"a user":            {func(r *Run) { r.Target = strings.Replace(server.URL, "://", "://a:b@", 1) + "/api" }, "target"},
		"another scheme":    {func(r *Run) { r.Target = strings.Replace(server.URL, "http:", "https:", 1) + "/api" }, "target"},
		"another port":      {func(r *Run) { r.Target = "http://127.0.0.1:1/api" }, "target"},
		"phase":             {func(r *Run) { r.Phase = "C" }, "phase"},
		"scenario":          {func(r *Run) { r.Scenario = "x" }, "scenario"},
		"code without B":    {func(r *Run) { r.Scenario, r.Phase, r.Fields = CodeThenApproved, PhaseA, nil }, "scenario"},
		"amount":            {func(r *Run) { r.Scenario, r.Fields["Monto"] = WrongAmount, "1,50" }, "fields.Monto"},
		"no amount":         {func(r *Run) { r.Scenario = WrongAmount; delete(r.Fields, "Monto") }, "fields.Monto"},
		"unknown field":     {func(r *Run) { r.Fields["Otro"] = "" }, "fields.Otro"},
		"field of A in B":   {func(r *Run) { r.Fields["IdCliente"] = "V1" }, "fields.IdCliente"},
		"no name at all":    {func(r *Run) { r.Fields["\"><script>"] = "" }, "fields"},
		"too long":          {func(r *Run) { r.Fields["Concepto"] = strings.Repeat("ñ", maxValue+1) }, "fields.Concepto"},
		"not UTF-8":         {func(r *Run) { r.Fields["Concepto"] = "\xff" }, "fields.Concepto"},
		"the token in it":   {func(r *Run) { r.Fields["Concepto"] = "x " + strings.ToUpper(testToken) }, "fields.Concepto"},
		"token too long":    {func(r *Run) { r.Token = strings.Repeat("a", maxValue+1) }, "token"},
		"header in token":   {func(r *Run) { r.Token = "a\r\nX-Evil: 1" }, "token"},
		"everything at once": {func(r *Run) {
			*r = Run{Fields: map[string]string{"Monto": strings.Repeat("1", maxValue+1)}}
		}, "target phase scenario fields.Monto"},
	} {
		r := &Run{Target: server.URL + "/api", Phase: PhaseB, Scenario: Plain, Token: testToken, Fields: of(PhaseB, typed())}
		c.change(r)
		result, err := s.Run(t.Context(), r)
		assert.Nil(t, result, name)
		require.ErrorIs(t, err, ErrRun, name)
		e, _ := errors.AsType[*apperr.Error](err)
		assert.Equal(t, apperr.Invalid, e.Kind, name)
		var locations []string
		for _, d := range e.Details {
			locations = append(locations, d.Location)
			assert.NotEmpty(t, d.Message, name)
		}
		assert.Equal(t, c.want, strings.Join(locations, " "), name)
		assert.NotContains(t, err.Error(), testToken)
	}
	assert.Empty(t, hooks.bodies())
}

func TestLargestBodyFitsTheWebhooks(t *testing.T) {
	t.Parallel()
	fields := map[string]string{}
	for _, name := range FieldNames(PhaseB) {
		fields[name] = strings.Repeat("\u2028", maxValue)
	}
	hooks, server := start(t)
	run(t, simulator(t, time.Minute, server.URL), &Run{Target: server.URL, Phase: PhaseB, Scenario: Plain, Fields: fields})
	require.Len(t, hooks.seen, 1)
	assert.Less(t, len(hooks.seen[0].body), 16<<10)
}

func TestNewNormalisesTargets(t *testing.T) {
	t.Parallel()
	s := simulator(t, 0, "HTTPS://Pagos.Example:443/", "https://pagos.example", "http://[::1]:80/api/v1/", "http://[::ffff:127.0.0.1]:8080",
		"http://localhost:8080", "https://10.0.0.7:8443", "https://[2001:db8::1]:443")
	assert.Equal(t, []string{"https://pagos.example", "http://[::1]/api/v1", "http://127.0.0.1:8080", "http://localhost:8080",
		"https://10.0.0.7:8443", "https://[2001:db8::1]"}, s.Targets())
	assert.NotNil(t, s.find("http://[0:0::1]/api/v1"))
	assert.Nil(t, s.find("http://pagos.example"))
	assert.Empty(t, simulator(t, 0).Targets())
}

func TestNewRefusesTargets(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"", "pagos.example", "ftp://pagos.example", "http://", "http:pagos.example", "http:///api", "http://:80", "http://a b", "http://a:0",
		"http://a:65536", "http://a:x", "http://s3cret:s3cret@pagos.example", "http://s3cret@pagos.example", "http://a/?s3cret=1", "http://a/?",
		"http://a/#s3cret", "http://a/#", "http://a/../b", "http://a//b", "http://a/%2e%2e", "http://a/b%2Fc", "http://a/b;c",
		"http://a/BancoConsulta",
		"http://a/api/BancoNotifica/", "http://pagos.example.", "http://pagós.example", "http://*.example", "http://0.0.0.0", "http://0.1.2.3",
		"http://169.254.169.254", "http://[::]", "http://[fe80::1]", "http://[fe80::1%25eth0]", "http://224.0.0.1", "http://[ff02::1]",
		"http://255.255.255.255", "http://[::ffff:169.254.169.254]",
	} {
		_, err := New(Options{Targets: []string{"http://ok.example", target}})
		if assert.Error(t, err, target) {
			assert.Contains(t, err.Error(), "target 2")
			assert.NotContains(t, err.Error(), "s3cret")
		}
	}
	_, err := New(Options{Timeout: -1})
	assert.Error(t, err)
}
