package api

import (
	"net/http"
	"testing"

	"banca/models"
)

// display_value defaults to the name and follows it until it is set; an empty display_value restores the default.
func TestDisplayValueOfElements(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	admin, put := models.RoleAdmin, http.MethodPut
	at := "/games/" + lotto + "/elements"
	b.run(t, []scenario{
		{name: "default and own", path: at, role: admin, body: `{"elements":[{"code":"5","name":"León"},{"code":"05","name":"Gato","display_value":"05 Gato"}]}`, status: 201,
			has: []string{`"name":"León","display_value":"León"`, `"name":"Gato","display_value":"05 Gato"`}},
		{name: "a default follows a new name", path: at + "/5", method: put, role: admin, body: `{"name":"Tigre"}`, status: 200, has: []string{`"name":"Tigre","display_value":"Tigre"`}},
		{name: "an own one stays", path: at + "/05", method: put, role: admin, body: `{"name":"Gata"}`, status: 200, has: []string{`"name":"Gata","display_value":"05 Gato"`}},
		{name: "set alone", path: at + "/5", method: put, role: admin, body: `{"display_value":"5 Tigre"}`, status: 200, has: []string{`"name":"Tigre","display_value":"5 Tigre"`}},
		{name: "kept with a new name", path: at + "/5", method: put, role: admin, body: `{"name":"León"}`, status: 200, has: []string{`"name":"León","display_value":"5 Tigre"`}},
		{name: "empty is the default", path: at + "/5", method: put, role: admin, body: `{"display_value":""}`, status: 200, has: []string{`"name":"León","display_value":"León"`}},
		{name: "too long", path: at + "/5", method: put, role: admin, body: `{"display_value":"0123456789012345678901234567890123456789012345678901234567890"}`, status: 422, code: "INVALID_ELEMENTS", has: []string{`display_value"`}},
		{name: "the list", path: at, role: models.RoleTaquilla, status: 200, has: []string{`"name":"León","display_value":"León"`, `"name":"Gata","display_value":"05 Gato"`}},
	})
}

// sale_stop_time and sale_stop_seconds are one value, and a refusal names the field that was sent.
func TestSaleStopOfGames(t *testing.T) {
	t.Parallel()
	b := withOperator(t)
	at := "/games/" + lotto
	answers := func(value string) []string {
		return []string{`"sale_stop_seconds":` + value, `"sale_stop_time":` + value}
	}
	change := func(name, body string, status int, has ...string) scenario {
		s := scenario{name: name, method: http.MethodPut, path: at, role: models.RoleAdmin, body: body, status: status, has: has}
		if status == http.StatusUnprocessableEntity {
			s.code = "VALIDATION_FAILED"
		}
		return s
	}
	b.run(t, []scenario{
		{name: "of the game", path: at, role: models.RoleTaquilla, status: 200, has: answers("300")},
		change("sale_stop_time", `{"sale_stop_time":0}`, 200, answers("0")...),
		change("the largest", `{"sale_stop_seconds":86400}`, 200, answers("86400")...),
		change("left out", `{"name":"Lotto Dos"}`, 200, answers("86400")...),
		change("null", `{"sale_stop_time":null}`, 200, answers("null")...),
		change("both, equal", `{"sale_stop_time":60,"sale_stop_seconds":60}`, 200, answers("60")...),
		change("both, different", `{"sale_stop_time":60,"sale_stop_seconds":61}`, 422, `"location":"sale_stop_seconds"`),
		change("both, one null", `{"sale_stop_time":null,"sale_stop_seconds":61}`, 422, `"location":"sale_stop_seconds"`),
		change("too large", `{"sale_stop_seconds":86401}`, 422, `"location":"sale_stop_seconds"`),
		change("negative", `{"sale_stop_time":-1}`, 422, `"location":"sale_stop_time"`),
		change("a part of a second", `{"sale_stop_time":1.5}`, 422, `"location":"sale_stop_time"`),
		change("text", `{"sale_stop_time":"60"}`, 422, `"location":"sale_stop_time"`),
		{name: "with the grid, different", path: at + "/bulk-data", role: models.RoleAdmin, status: 422, code: "VALIDATION_FAILED", has: []string{`"location":"sale_stop_seconds"`},
			body: `{"elements":[{"code":"0","name":"Delfín"}],"sale_stop_time":1,"sale_stop_seconds":2}`},
		{name: "with the grid", path: at + "/bulk-data", role: models.RoleAdmin, status: 200, body: `{"elements":[{"code":"0","name":"Delfín"},{"code":"00","name":"Ballena"}],"sale_stop_seconds":90}`},
		{name: "unchanged by what was refused", path: at, role: models.RoleTaquilla, status: 200, has: answers("90")},
		{name: "in the list", path: "/games", role: models.RoleTaquilla, status: 200, has: answers("90")},
	})
}
