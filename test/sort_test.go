package test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

const (
	sortRows  = 6   // rows that fillSorted adds to each list
	sortPages = 3   // pages in which a list is read, at least
	mostRows  = 200 // of a page
)

// sortFields maps a value of `sort` to the field of the answer that it orders by, where the names differ.
func sortFields() map[string]string {
	return map[string]string{"list-bank-events created_at": "received_at"}
}

// sortParameter is the parameter `sort` of a list operation.
type sortParameter struct {
	operation, path, byDefault string
	values                     []string
}

// TestEverySortOrdersItsList walks over the list operations of the OpenAPI document that have a parameter `sort`: each
// allowed value answers 200, and the pages together are in that order; an unknown value answers 422.
func TestEverySortOrdersItsList(t *testing.T) { //nolint:tparallel // the lists are read one after the other through one suite
	t.Parallel()
	s := openLeakSuite(t)
	s.fillSorted()
	lists := s.sortParameters()
	require.GreaterOrEqual(t, len(lists), 6)
	for i := range lists {
		l := &lists[i]
		t.Run(l.operation, func(t *testing.T) {
			require.NotEmpty(t, l.values, "an enum")
			orders := map[string][]map[string]any{}
			for _, value := range append(slices.Clone(l.values), "") {
				orders[value] = s.sortedList(t, l.path, value)
			}
			assert.Equal(t, orders[l.byDefault], orders[""], "the default")
			for _, value := range l.values {
				requireSorted(t, l.operation, value, orders[value])
				if opposite, both := orders[oppositeSort(value)]; both {
					ids := sortIDs(opposite)
					slices.Reverse(ids)
					assert.Equal(t, ids, sortIDs(orders[value]), "%s is the reverse of %s", value, oppositeSort(value))
				}
			}
			for _, value := range []string{"hunter2", "-hunter2", "--" + l.values[0], strings.ToUpper(l.values[0]), l.values[0] + ",id"} {
				refused := s.sorted(l.path, value, 1, 1)
				assert.Equal(t, []any{http.StatusUnprocessableEntity, "VALIDATION_FAILED"}, []any{refused.status, refused.body["code"]}, value)
				assert.Contains(t, string(refused.raw), `"location":"query.sort"`, value)
				assert.NotContains(t, string(refused.raw), "hunter2")
			}
		})
	}
}

// sortParameters reads the parameters `sort` from the document.
func (s *leakSuite) sortParameters() []sortParameter {
	s.t.Helper()
	paths, _ := s.send(leakCall{method: http.MethodGet, path: "/openapi.json"}).body["paths"].(map[string]any)
	var lists []sortParameter
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		operation, _ := item["get"].(map[string]any)
		parameters, _ := operation["parameters"].([]any)
		for _, p := range parameters {
			parameter, _ := p.(map[string]any)
			if parameter["name"] != "sort" {
				continue
			}
			schema, _ := parameter["schema"].(map[string]any)
			l := sortParameter{operation: fmt.Sprint(operation["operationId"]), path: path, byDefault: fmt.Sprint(schema["default"])}
			allowed, _ := schema["enum"].([]any)
			for _, value := range allowed {
				l.values = append(l.values, fmt.Sprint(value))
			}
			lists = append(lists, l)
		}
	}
	return lists
}

// sorted reads one page; an empty value leaves the parameter out.
func (s *leakSuite) sorted(path, value string, page, size int) answer {
	query := fmt.Sprintf("?page_size=%d&page=%d", size, page)
	if value != "" {
		query += "&sort=" + value
	}
	return s.send(leakCall{method: http.MethodGet, path: path + query, token: s.tokens["house "+models.RoleAdmin]})
}

// sortedList reads a whole list, page by page.
func (s *leakSuite) sortedList(t *testing.T, path, value string) []map[string]any {
	t.Helper()
	first := s.sorted(path, value, 1, 1)
	require.Equal(t, http.StatusOK, first.status, "%s: %s", value, first.raw)
	meta, _ := first.body["meta"].(map[string]any)
	total, _ := meta["total"].(float64)
	require.GreaterOrEqual(t, int(total), sortRows, value)
	var all []map[string]any
	for page, size := 1, min(int(total)/sortPages+1, mostRows); (page-1)*size < int(total); page++ {
		a := s.sorted(path, value, page, size)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", value, a.raw)
		all = append(all, a.list()...)
	}
	require.Len(t, all, int(total), value)
	ids := slices.Sorted(slices.Values(sortIDs(all)))
	require.Len(t, slices.Compact(ids), int(total), "%s: a row is on two pages", value)
	return all
}

// requireSorted checks that rows are in the order of a value of `sort`, and that the order distinguishes several of them.
func requireSorted(t *testing.T, operation, value string, rows []map[string]any) {
	t.Helper()
	name, descending := strings.CutPrefix(value, "-")
	field := cmp.Or(sortFields()[operation+" "+name], name)
	distinct := map[string]bool{}
	for i, row := range rows {
		key, ok := row[field].(string)
		require.True(t, ok, "%s: a row has no text %q; name the field in sortFields", operation, field)
		distinct[key] = true
		if i == 0 {
			continue
		}
		before, _ := rows[i-1][field].(string)
		order := compareSorted(before, key)
		if descending {
			order = -order
		}
		assert.LessOrEqual(t, order, 0, "%s sort=%s: %q comes before %q", operation, value, before, key)
	}
	require.Greater(t, len(distinct), 2, "%s sort=%s", operation, value)
}

// compareSorted compares two values as times if they are times, else by code point, as the database does.
func compareSorted(a, b string) int {
	first, err := time.Parse(time.RFC3339, a)
	second, other := time.Parse(time.RFC3339, b)
	if err == nil && other == nil {
		return first.Compare(second)
	}
	return strings.Compare(a, b)
}

func oppositeSort(value string) string {
	if name, descending := strings.CutPrefix(value, "-"); descending {
		return name
	}
	return "-" + value
}

func sortIDs(rows []map[string]any) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = fmt.Sprint(row["id"])
	}
	return ids
}

// fillSorted adds rows to each list. Their times are in the order of their ids, as in rows that the platform writes, and
// the codes and names of entities in other orders than their times.
func (s *leakSuite) fillSorted() {
	s.t.Helper()
	const id, at = `('01b00000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`, `now() + n * interval '1 millisecond'`
	ves, b := seed.ID("currency", "VES"), s.ours
	s.exec(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		SELECT `+id+`, 'SORTED' || n, '123456', $1, $2, $3, $4, 'pending', 100, 100, now() + interval '5 minutes', now(), `+at+` FROM generate_series(1, $5::integer) n`, b.point, b.cashier, b.wallet, ves, sortRows)
	s.exec(`INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, client_letter, client_number, client_phone, amount, expires_at, created_by, created_at)
		SELECT `+id+`, 'manual', $1, $2, $3, 'V', '12345678', '+584140000000', 100 + n, now() + interval '1 day', $4, `+at+` FROM generate_series(1, $5::integer) n`, b.point, b.wallet, ves, b.cashier, sortRows)
	s.exec(`INSERT INTO bank_events (id, phase, address, outcome, status, answer, checks, raw, fields, duration_us, received_at)
		SELECT `+id+`, 'query', '203.0.113.7', 'unknown_client', 200, false, '[]', '', '{}', 7, `+at+` FROM generate_series(1, $1::integer) n`, sortRows)
	s.exec(`INSERT INTO activity_logs (id, at, user_id, user_name, session_id, entity_id, module, action, target, manual, details, address, user_agent)
		SELECT `+id+`, `+at+`, $1, 'Sorted', $2, $3, 'sales', 'sell', '', false, '{}', '192.0.2.1', '' FROM generate_series(1, $4::integer) n`, b.cashier, b.session, b.point, sortRows)
	s.exec(`INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, created_at)
		SELECT `+id+`, 'TICKET_POINT', 'Sorted ' || n % 3, 'SORT' || $3::integer - n, e.id, e.path || `+id+` || '/', 'active', `+at+`
		FROM entities e, generate_series(1, $2::integer) n WHERE e.id = $1`, b.agency, sortRows, sortRows)
}
