package test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

// The tenant-leak suite. For every operation of the OpenAPI document: a caller without a token is refused, a partner
// writes nothing, and users of one branch neither see nor change anything of another, whether they name it in the
// path, the query or the body. leak_table_test.go has the requests of each operation; an operation that is missing
// there fails. No answer and no line of the log holds a secret.
func TestBranchesHaveNoAccessToEachOther(t *testing.T) {
	t.Parallel()
	s := openLeakSuite(t)
	operations := s.operations()
	s.checkTables(operations)
	s.anonymous(operations)
	s.partners(operations)
	s.strangers(operations)
	s.operator(operations) // last, because it may change the rows it names
	s.scanLog()
}

// leakOperation is an operation as the document describes it.
type leakOperation struct {
	id, method, path string
	sensitive        bool
	roles            []string
	pathIDs          []string // parameters of the path
	namedIDs         []string // ids in the query and the body, which name things
}

func (o *leakOperation) writes() bool { return o.method != http.MethodGet }

// operations reads the document that the running platform serves, the most harmless first.
func (s *leakSuite) operations() []leakOperation {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string   `json:"operationId"`
			Roles       []string `json:"x-roles"`
			Sensitive   bool     `json:"x-sensitive"`
			Parameters  []struct {
				Name, In string
				Schema   leakSchema
			}
			RequestBody struct {
				Content map[string]struct{ Schema leakSchema }
			} `json:"requestBody"`
		}
		Components struct{ Schemas map[string]leakSchema }
	}
	a := s.send(leakCall{method: http.MethodGet, path: "/openapi.json"})
	require.NoError(s.t, json.Unmarshal(a.raw, &document))
	var all []leakOperation
	for path, methods := range document.Paths {
		for method, described := range methods {
			o := leakOperation{id: described.OperationID, method: strings.ToUpper(method), path: path, roles: described.Roles, sensitive: described.Sensitive}
			for _, p := range described.Parameters {
				switch {
				case p.In == "path":
					o.pathIDs = append(o.pathIDs, p.Name)
				case p.In == "query" && (p.Schema.Format == "uuid" || strings.HasSuffix(strings.ToLower(p.Name), "id")):
					o.namedIDs = append(o.namedIDs, p.Name)
				}
			}
			for _, content := range described.RequestBody.Content {
				schema := content.Schema
				if named, ok := strings.CutPrefix(schema.Ref, "#/components/schemas/"); ok {
					schema = document.Components.Schemas[named]
				}
				for name, property := range schema.Properties {
					if property.Format == "uuid" {
						o.namedIDs = append(o.namedIDs, name)
					}
				}
			}
			all = append(all, o)
		}
	}
	order := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	slices.SortFunc(all, func(a, b leakOperation) int {
		if d := slices.Index(order, a.method) - slices.Index(order, b.method); d != 0 {
			return d
		}
		return -strings.Compare(a.path, b.path) // what belongs to a thing before the thing
	})
	return all
}

type leakSchema struct {
	Ref        string `json:"$ref"`
	Format     string
	Properties map[string]struct{ Format string }
}

// checkTables names the rows to add for operations without one, and the rows to remove.
func (s *leakSuite) checkTables(operations []leakOperation) {
	table, known := s.table(), map[string]bool{}
	for i := range operations {
		o := &operations[i]
		known[o.id] = true
		entry, ok := table[o.id]
		if !assert.True(s.t, ok, "%s %s: add a row %q to the table in test/leak_table_test.go: how to name a thing of another branch, "+
			"or why it is public, about the caller alone, or of the whole house", o.method, o.path, o.id) {
			continue
		}
		assert.Equal(s.t, o.writes() && !o.sensitive, plainWrites()[o.id], "%s: a write is marked as sensitive, or plainWrites says why not", o.id)
		assert.Equal(s.t, len(o.roles) == 0, entry.public != "", "%s: an operation open to everybody says why in its row, and no other does", o.id)
		if entry.public != "" || entry.self != "" {
			continue
		}
		require.NotEmpty(s.t, entry.probes, "%s: its row has no probe", o.id)
		for _, name := range o.pathIDs {
			for _, p := range entry.probes {
				assert.Contains(s.t, p.path, name, "%s: its row does not say which %s to ask for", o.id, name)
			}
		}
		for _, name := range o.namedIDs {
			assert.True(s.t, slices.ContainsFunc(entry.probes, func(p probe) bool { return p.names(name) }) || entry.unnamed[name] != "",
				"%s: no probe names a thing of another branch by %q; add one, or say under unnamed why it names none", o.id, name)
		}
	}
	for id := range table {
		assert.True(s.t, known[id], "%s: there is no such operation any more, remove its row", id)
	}
}

// anonymous calls every operation without a token and with an invalid one.
func (s *leakSuite) anonymous(operations []leakOperation) {
	table := s.table()
	for i := range operations {
		o := &operations[i]
		entry := table[o.id]
		if entry.public != "" || entry.broken() {
			continue
		}
		for _, p := range entry.all() {
			for _, token := range []string{"", "forged.token.here"} {
				a := s.call(o, p, token)
				assert.Equal(s.t, http.StatusUnauthorized, a.status, "%s: anonymous: %s", o.id, a.raw)
				s.refused(o, &a, "anonymous")
			}
		}
	}
}

// partners has the partner of the very branch try to write.
func (s *leakSuite) partners(operations []leakOperation) {
	table := s.table()
	for i := range operations {
		o := &operations[i]
		entry := table[o.id]
		if !o.writes() || entry.public != "" || entry.self != "" || entry.partner != "" {
			continue
		}
		for _, p := range entry.probes {
			a := s.call(o, p, s.tokens["ours "+models.RoleSocio])
			assert.True(s.t, a.status == http.StatusForbidden || slices.Contains(p.partner, a.status), "%s: a partner got %d %s", o.id, a.status, a.raw)
			s.refused(o, &a, "a partner")
		}
	}
}

// strangers calls everything as users of the other branch.
func (s *leakSuite) strangers(operations []leakOperation) {
	table := s.table()
	for i := range operations {
		o := &operations[i]
		entry := table[o.id]
		if entry.public != "" || entry.self != "" {
			continue
		}
		for _, p := range entry.probes {
			for _, role := range []string{models.RoleAdmin, models.RoleTaquilla} {
				a := s.call(o, p, s.tokens["theirs "+role])
				s.checkAnswer(o, &p, &a, role)
				if missing := p.missing(s.ours); !p.scoped && p.house == "" {
					b := s.call(o, missing, s.tokens["theirs "+role])
					assert.Equal(s.t, []any{b.status, b.body["code"], b.body["data"]}, []any{a.status, a.body["code"], a.body["data"]},
						"%s %+v: what belongs to others answers otherwise than what does not exist", o.id, p)
				}
			}
		}
	}
}

// judge decides whether a stranger's answer is right.
func (s *leakSuite) checkAnswer(o *leakOperation, p *probe, a *answer, role string) {
	who := "a stranger, " + role
	switch {
	case a.status == http.StatusForbidden, a.status == http.StatusNotFound:
	case slices.Contains(p.also, a.status):
	case p.house != "" && a.status/100 == 2: // data of all branches, for all users
	case p.scoped && a.status == http.StatusOK:
		if role == models.RoleAdmin && !p.bare {
			assert.True(s.t, s.theirs.marks(a.raw), "%s: %s does not even see the own things, so nothing is proved: %s", o.id, who, a.raw)
		}
	default:
		assert.True(s.t, a.status == http.StatusOK && !o.writes() && a.isEmpty(), "%s %+v: %s got %d %s", o.id, p, who, a.status, a.raw)
	}
	s.refused(o, a, who)
}

// isEmpty reports whether an answer is a list of nothing.
func (a answer) isEmpty() bool {
	list, is := a.body["data"].([]any)
	return is && len(list) == 0
}

// refused checks every answer to a caller without access: it holds nothing of the branch, and nothing has changed.
func (s *leakSuite) refused(o *leakOperation, a *answer, who string) {
	s.t.Helper()
	assert.False(s.t, s.ours.marks(a.raw), "%s: %s was shown something of the branch: %s", o.id, who, a.raw)
	for name, values := range a.header {
		if name != "Location" || a.status >= 300 {
			assert.False(s.t, s.ours.marks([]byte(strings.Join(values, ","))), "%s: %s was shown something of the branch in %s", o.id, who, name)
		}
	}
	assert.Empty(s.t, s.changes(), "%s: %s changed something", o.id, who)
}

// operator calls everything last, as the administrator of the root: an operation that refuses even the root was
// called with rows that do not exist, and its refusals above prove nothing.
func (s *leakSuite) operator(operations []leakOperation) {
	table := s.table()
	for i := range operations {
		o := &operations[i]
		entry := table[o.id]
		if entry.public != "" || entry.self != "" {
			continue
		}
		for _, p := range entry.probes {
			if p.pointless != "" {
				continue
			}
			a := s.call(o, p, s.tokens["house "+models.RoleAdmin])
			assert.True(s.t, a.status/100 == 2 || a.status == http.StatusConflict || slices.Contains(p.operator, a.status),
				"%s %+v: the operator got %d %s", o.id, p, a.status, a.raw)
		}
	}
}

// slowStatement is the line of a slow statement, whose text names columns of secrets, without their values.
var slowStatement = regexp.MustCompile(`(msg="slow statement" took=\S+ rows=\d+ )sql=(?:"(?:[^"\\]|\\.)*"|\S+)`)

// scanLog looks for secrets in everything that was logged meanwhile.
func (s *leakSuite) scanLog() {
	log := s.log.String()
	require.Contains(s.t, log, "request_id=", "the log was captured")
	s.noSecrets(slowStatement.ReplaceAllString(log, "$1"), "the log")
	for who, token := range s.tokens {
		assert.NotContains(s.t, log, token, "the token of %s", who)
	}
	assert.NotContains(s.t, log, leakPassword)
}

// noSecrets holds for every answer and every line of the log.
func (s *leakSuite) noSecrets(text, where string) {
	s.t.Helper()
	for _, secret := range append([]string{"password_hash", "passwordHash", "PasswordHash", "token_hash", "totp_secret", "$2a$", "$2b$", "$2y$"}, s.secrets...) {
		assert.NotContains(s.t, text, secret, where)
	}
}

// leakCall is a request.
type leakCall struct {
	method, path, token, contentType string
	body                             io.Reader
	deviceKey                        string
}

// call sends a probe of an operation.
func (s *leakSuite) call(o *leakOperation, p probe, token string) answer {
	s.t.Helper()
	path := o.path
	for name, value := range p.path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	c := leakCall{method: o.method, path: path + p.query, token: token, contentType: "application/json"}
	if p.raw != "" {
		c.contentType, c.body = p.contentType, strings.NewReader(p.raw)
	} else if p.body != nil {
		raw, err := json.Marshal(p.body)
		require.NoError(s.t, err)
		c.body = strings.NewReader(string(raw))
	}
	a := s.send(c)
	s.noSecrets(string(a.raw)+fmt.Sprint(a.header), o.id)
	a.raw = []byte(strings.ReplaceAll(string(a.raw), path, "(the caller's own words)")) // a problem names the path it was asked for
	return a
}

// callID names a call in the letters g to p, which no mark and no id of a branch has.
func (s *leakSuite) callID() string {
	return strings.Map(func(r rune) rune { return r - '0' + 'g' }, fmt.Sprintf("%08d", s.calls.Add(1)))
}

func (s *leakSuite) send(c leakCall) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, c.method, "http://"+s.addr+c.path, c.body)
	require.NoError(s.t, err)
	if c.body != nil {
		req.Header.Set("Content-Type", c.contentType)
	}
	switch c.token {
	case "":
	case bareBankToken:
		req.Header.Set("Authorization", c.token)
	default:
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.deviceKey != "" {
		req.Header.Set("X-Device-Key", c.deviceKey)
	}
	req.Header.Set("X-Request-Id", s.callID()) // a random one may hold the mark of a branch
	if c.method == http.MethodPost {
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	res, err := s.client.Do(req)
	require.NoError(s.t, err)
	defer func() { _ = res.Body.Close() }()
	a := answer{status: res.StatusCode, header: res.Header}
	a.raw, err = io.ReadAll(res.Body)
	require.NoError(s.t, err)
	_ = json.Unmarshal(a.raw, &a.body) // not every answer is JSON
	conforms(s.t, req, &a)
	return a
}
