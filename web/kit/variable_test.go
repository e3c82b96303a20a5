package kit

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
)

// typedValues has a variable of each type that a field may have.
type typedValues struct {
	name, secret, sum, rate string
	place                   int
	owner                   uuid.UUID
	day                     businessday.Day
	kinds                   []string
	alias                   *string
	order                   *int
	group                   *uuid.UUID
	optedOut                *bool
}

func (t *typedValues) form() *Form {
	return NewForm(
		TextInput("name", "name", 9).Into(&t.name), TextInput("secret", "secret", 9).With("type=password").Into(&t.secret),
		DecimalInput("sum", "sum", 9).Into(&t.sum), PercentInput("rate", "rate").Into(&t.rate), NumberInput("place", "place", 4).Into(&t.place),
		TextInput("owner", "owner", 36).Into(&t.owner), TextInput("day", "day", 10).Into(&t.day), ChecksInput("kinds", "kinds", nil).Into(&t.kinds),
		TextInput("alias", "alias", 9).Into(&t.alias), NumberInput("order", "order", 4).Into(&t.order),
		TextInput("group", "group", 36).Into(&t.group), TextInput("opted_out", "opted_out", 5).Into(&t.optedOut),
	)
}

// A form shows the variables of its fields, and sets them to the typed values.
func TestAFormOfVariables(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("018f4d1e-6f3a-7c11-8d0e-3c1f0a5b9d21")
	day, err := businessday.Parse("2026-11-26")
	require.NoError(t, err)
	take := func(sent url.Values) typedValues {
		t.Helper()
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(sent.Encode()))
		c.Request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		require.NoError(t, c.Request.ParseForm())
		typed := typedValues{}
		typed.form().Take(&Request{c: c})
		return typed
	}
	stored := typedValues{
		name: "Ana", secret: "kept to itself", sum: "1.5", rate: "12", place: 0, owner: id, day: day, kinds: []string{"a", "b"},
		alias: new("A"), order: new(3), group: &id, optedOut: new(true),
	}
	shown := stored.form().All()
	assert.Equal(t, url.Values{
		"name": {"Ana"}, "sum": {"1.5"}, "rate": {"12"}, "place": {"0"}, "owner": {id.String()}, "day": {"2026-11-26"}, "kinds": {"a", "b"},
		"alias": {"A"}, "order": {"3"}, "group": {id.String()}, "opted_out": {"true"},
	}, shown, "a secret is not written into a page")
	sent := url.Values{"secret": {" s "}, "sum": {" 1.234,5 "}, "rate": {"12,5 %"}, "name": {" Ana "}}
	for name, values := range shown {
		if sent[name] == nil {
			sent[name] = values
		}
	}
	want := stored
	want.secret, want.sum, want.rate = " s ", "1234.5", "12.5"
	assert.Equal(t, want, take(sent))

	wrong := take(url.Values{"place": {"x"}, "owner": {"x"}, "day": {"x"}, "order": {"x"}, "group": {"x"}, "opted_out": {"x"}})
	assert.Equal(t, typedValues{place: -1, alias: new("")}, wrong, "invalid values")
	assert.Panics(t, func() { (&Input{}).set(new(1.5), nil) })
	assert.Equal(t, url.Values{"name": nil}, NewForm(TextInput("name", "name", 9).Into(new(""))).All())
}
