package org_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// grow is a tree with an operator and, below it, entities that tests add.
func grow(t testing.TB) *tree {
	t.Helper()
	tr := setup(t, `{}`)
	tr.Service = org.New(tr.env.PG.Gorm, org.Options{Documents: tr.env.Private})
	return tr
}

func (tr *tree) scope() caller.Caller { return testkit.Operator(tr.ids[0]) }

// groups reads groups of settings as a request writes them.
func groups(t testing.TB, text string) org.Groups {
	t.Helper()
	var g org.Groups
	require.NoError(t, json.Unmarshal([]byte(text), &g))
	return g
}

func (tr *tree) add(t testing.TB, parent uuid.UUID, kind, code, settings string) *org.Entity {
	t.Helper()
	e, err := tr.Create(t.Context(), tr.scope(), &org.NewEntity{ParentID: parent, Type: kind, Name: code, Code: code, Groups: groups(t, settings)})
	require.NoError(t, err)
	return e
}

func TestCreate(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	agency := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{"legal_info": {"tax_id": "J-1"}, "config_info": {"cancels_per_day": 3}}`)
	assert.Equal(t, models.StatusRegister, agency.Status)
	assert.Equal(t, tr.scope().Scope.Path()+agency.ID.String()+"/", agency.Path)
	assert.Equal(t, "J-1", agency.Legal.TaxID)
	assert.Equal(t, 3, *agency.Config.CancelsPerDay)
	good := org.NewEntity{ParentID: agency.ID, Type: models.EntityGroup, Name: "G", Code: "GRU"}
	for name, tt := range map[string]struct {
		change func(n *org.NewEntity)
		want   error
		at     string
	}{
		"code taken":           {func(n *org.NewEntity) { n.Code = "AGE" }, org.ErrEntityExists, ""},
		"in other letters":     {func(n *org.NewEntity) { n.Code = "age" }, org.ErrEntityExists, ""},
		"same type":            {func(n *org.NewEntity) { n.Type = models.EntityAgency }, org.ErrTypeOrder, ""},
		"higher type":          {func(n *org.NewEntity) { n.Type = models.EntitySuperAgency }, org.ErrTypeOrder, ""},
		"no type":              {func(n *org.NewEntity) { n.Type = "agency" }, org.ErrInvalidEntity, "entity_type"},
		"no name":              {func(n *org.NewEntity) { n.Name = "  " }, org.ErrInvalidEntity, "name"},
		"a name of nothing":    {func(n *org.NewEntity) { n.Name = "\u200b\u200d." }, org.ErrInvalidEntity, "name"},
		"a name turned round":  {func(n *org.NewEntity) { n.Name = "Agencia \u202eallaV" }, org.ErrInvalidEntity, "name"},
		"a name of two lines":  {func(n *org.NewEntity) { n.Name = "a\u2028b" }, org.ErrInvalidEntity, "name"},
		"a code of bytes":      {func(n *org.NewEntity) { n.Code = "A\x00\xff" }, org.ErrInvalidEntity, "code"},
		"a long code":          {func(n *org.NewEntity) { n.Code = strings.Repeat("A", 33) }, org.ErrInvalidEntity, "code"},
		"a code and a line":    {func(n *org.NewEntity) { n.Code = "A\n" }, org.ErrInvalidEntity, "code"},
		"a name with NUL":      {func(n *org.NewEntity) { n.Name = "a\x00" }, org.ErrInvalidEntity, "name"},
		"a code with blanks":   {func(n *org.NewEntity) { n.Code = "A B" }, org.ErrInvalidEntity, "code"},
		"suspended from birth": {func(n *org.NewEntity) { n.Status = models.StatusSuspended }, org.ErrInvalidEntity, "status"},
		"no parent":            {func(n *org.NewEntity) { n.ParentID = uuid.New() }, org.ErrEntityNotFound, ""},
		"unknown group":        {func(n *org.NewEntity) { n.Groups = groups(t, `{"colour": {}}`) }, org.ErrInvalidEntity, "colour"},
	} {
		n := good
		tt.change(&n)
		_, err := tr.Create(t.Context(), tr.scope(), &n)
		requireRefused(t, err, tt.want, tt.at, name)
	}
	above := good
	above.ParentID = tr.ids[0]
	_, err := tr.Create(t.Context(), testkit.Within(agency.Path), &above)
	requireRefused(t, err, org.ErrEntityNotFound, "", "foreign parent")
	_, err = tr.Create(t.Context(), caller.Caller{}, &above)
	requireRefused(t, err, org.ErrEntityNotFound, "", "no scope")
	n := good
	n.Status = models.StatusActive
	e, err := tr.Create(t.Context(), tr.scope(), &n)
	require.NoError(t, err)
	assert.Equal(t, models.StatusActive, e.Status)
}

func requireRefused(t testing.TB, err, want error, at, name string) {
	t.Helper()
	require.ErrorIs(t, err, want, name)
	if at == "" {
		return
	}
	var locations []string
	for _, d := range apperr.From(err).Details {
		locations = append(locations, d.Location)
	}
	require.Contains(t, locations, at, name)
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	for text, at := range map[string]string{
		`{"legal_info": {"Tax_id": "J"}}`:                                                     "legal_info.Tax_id",
		`{"legal_info": {"tax_id": 5}}`:                                                       "legal_info.tax_id",
		`{"legal_info": {"tax_id": "` + strings.Repeat("1", 41) + `"}}`:                       "legal_info.tax_id",
		`{"contact_info": {"phone": "12"}}`:                                                   "contact_info.phone",
		`{"contact_info": {"email": "a b@c"}}`:                                                "contact_info.email",
		`{"contact_info": {"person": "a\u0000b"}}`:                                            "contact_info.person",
		`{"location_info": {"latitude": "90.1"}}`:                                             "location_info.latitude",
		`{"location_info": {"longitude": "1e2"}}`:                                             "location_info.longitude",
		`{"social_info": {"website": "javascript:alert(1)"}}`:                                 "social_info.website",
		`{"print_info": {"footer": ["a", 5]}}`:                                                "print_info.footer[1]",
		`{"print_info": {"header": ["1","2","3","4","5","6","7","8","9","10","11"]}}`:         "print_info.header",
		`{"messaging_settings": {"enabled": "yes"}}`:                                          "messaging_settings.enabled",
		`{"config_info": {"cancels_per_day": -1}}`:                                            "config_info.cancels_per_day",
		`{"config_info": {"confirm_line_above": 0}}`:                                          "config_info.confirm_line_above",
		`{"config_info": {"confirm_ticket_above": 1000000001}}`:                               "config_info.confirm_ticket_above",
		`{"config_info": {"sale_stop_seconds": 1.5}}`:                                         "config_info.sale_stop_seconds",
		`{"finance_info": {"commissions": [{"percent": "100.01"}]}}`:                          "finance_info.commissions[0].percent",
		`{"finance_info": {"commissions": [{"percent": "1"}, {"percent": "2"}]}}`:             "finance_info.commissions[1]",
		`{"finance_info": {"commissions": [{"percent": "1", "bet": "x"}]}}`:                   "finance_info.commissions[0].bet",
		`{"finance_info": {"participation": {"percent": "-1"}}}`:                              "finance_info.participation.percent",
		`{"finance_info": {"participation": {"percent": "1", "mode": "carry"}}}`:              "finance_info.participation.mode",
		`{"finance_info": {"mobile_payment": {"bank": "13", "phone": "04141112233"}}}`:        "finance_info.mobile_payment.bank",
		`{"finance_info": {"top_up": {"min": "5.00", "max": "4.00"}}}`:                        "finance_info.top_up.max",
		`{"finance_info": {"balance": "100.00"}}`:                                             "finance_info.balance",
		`{"legal_info": {"tax_id": "J-1"}, "print_info": {"title": "ok"}, "wallet": {}}`:      "wallet",
		`{"location_info": {"latitude": "-"}, "contact_info": {"phone": "+58412 123 45 67"}}`: "location_info.latitude",
	} {
		_, _, err := tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Groups: groups(t, text)})
		requireRefused(t, err, org.ErrInvalidEntity, at, text)
		now, err := tr.Entity(t.Context(), tr.scope(), e.ID)
		require.NoError(t, err)
		require.Equal(t, e, now, "nothing was changed")
	}
}

// device adds a device to an entity.
func (tr *tree) device(t *testing.T, entity uuid.UUID) uuid.UUID {
	t.Helper()
	id, user := uuid.New(), uuid.New()
	tr.exec(t, `INSERT INTO users (id, entity_id, identifier, name, role, password_hash) VALUES ($1::uuid, $2, $1::uuid::text, 'U', 'ADMIN', '-')`, user, tr.ids[0])
	tr.exec(t, `INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, created_by)
		VALUES ($1::uuid, $2, 'POS', sha256($1::uuid::text::bytea), sha256('key'), 'active', $3)`, id, entity, user)
	return id
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{"print_info": {"title": "T", "footer": ["F"]}, "legal_info": {"tax_id": "J-1"}}`)
	other := tr.add(t, tr.ids[0], models.EntityAgency, "OTH", `{}`)
	device, name := tr.device(t, e.ID), " Nombre "
	ch := org.Change{Name: &name, DefaultDeviceID: &device, Groups: groups(t, `{"print_info": {"title": null, "subtitle": "S"}, "location_info": {"latitude": "10.4806", "longitude": "-66.9036"}}`)}
	changed, what, err := tr.Update(t.Context(), tr.scope(), e.ID, &ch)
	require.NoError(t, err)
	require.Nil(t, what)
	now, err := tr.Entity(t.Context(), tr.scope(), e.ID)
	require.NoError(t, err)
	assert.Equal(t, now.Print, changed.Print)
	assert.Equal(t, org.PrintInfo{Subtitle: "S", Footer: []string{"F"}}, now.Print, "null removes, absent stays")
	assert.Equal(t, "J-1", now.Legal.TaxID)
	assert.Equal(t, "-66.9036", now.Location.Longitude)
	assert.Equal(t, []any{"Nombre", "AGE", device}, []any{now.Name, now.Code, now.DefaultDeviceID})
	for what, foreign := range map[string]uuid.UUID{"unknown": uuid.New(), "another entity's": tr.device(t, other.ID)} {
		_, _, err = tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{DefaultDeviceID: &foreign})
		requireRefused(t, err, org.ErrInvalidEntity, "default_device_id", what)
	}
	_, err = tr.Create(t.Context(), tr.scope(), &org.NewEntity{ParentID: e.ID, Type: models.EntityGroup, Name: "G", Code: "G", DefaultDeviceID: device})
	requireRefused(t, err, org.ErrInvalidEntity, "default_device_id", "of a new entity")
	require.ErrorIs(t, tr.Delete(t.Context(), tr.scope(), other.ID), org.ErrEntityInUse, "it has a device")
	none := uuid.Nil
	now, _, err = tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{DefaultDeviceID: &none})
	require.NoError(t, err)
	assert.Equal(t, uuid.Nil, now.DefaultDeviceID)
	code := "OTH"
	_, _, err = tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Code: &code})
	require.ErrorIs(t, err, org.ErrEntityExists)
	_, _, err = tr.Update(t.Context(), testkit.Within(e.Path), other.ID, &org.Change{Name: &name})
	require.ErrorIs(t, err, org.ErrEntityNotFound, "a foreign entity")
	for _, own := range []string{`{"finance_info": {"commissions": []}}`, `{"config_info": {"cancels_per_day": 9}}`} {
		_, _, err = tr.Update(t.Context(), testkit.Within(e.Path), e.ID, &org.Change{Groups: groups(t, own)})
		require.ErrorIs(t, err, org.ErrOwnEntity, own)
	}
	_, _, err = tr.Update(t.Context(), testkit.Within(e.Path), e.ID, &org.Change{Groups: groups(t, `{"contact_info": {"person": "P"}}`)})
	require.NoError(t, err, "who is called here is the entity's own business")
	_, _, err = tr.Update(t.Context(), tr.scope(), tr.ids[0], &org.Change{Groups: groups(t, percents("5"))})
	requireRefused(t, err, org.ErrInvalidEntity, "finance_info.commissions", "the root has no rate")
}

func percents(p string) string { return `{"finance_info": ` + percent(p) + `}` }

func TestStatus(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	for _, step := range []struct {
		to   string
		want error
	}{
		{models.StatusSuspended, org.ErrStatusMove}, {models.StatusActive, nil}, {models.StatusActive, nil}, {models.StatusRegister, org.ErrStatusMove},
		{models.StatusSuspended, nil}, {models.StatusInactive, nil}, {models.StatusSuspended, org.ErrStatusMove}, {"gone", org.ErrStatusMove}, {models.StatusActive, nil},
	} {
		_, err := tr.SetStatus(t.Context(), tr.scope(), e.ID, step.to)
		require.ErrorIs(t, err, step.want, step.to)
		_, err = tr.Seller(t.Context(), e.ID)
		require.Equal(t, step.want == nil && step.to == models.StatusActive || step.to == models.StatusRegister, err == nil, "its own process knows at once: %s", step.to)
	}
	_, err := tr.SetStatus(t.Context(), tr.scope(), tr.ids[0], models.StatusSuspended)
	require.ErrorIs(t, err, org.ErrRootProtected)
	_, err = tr.SetStatus(t.Context(), testkit.Within(e.Path), e.ID, models.StatusInactive)
	require.ErrorIs(t, err, org.ErrOwnEntity)
	_, err = tr.SetStatus(t.Context(), testkit.Within(e.Path), tr.ids[0], models.StatusActive)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}

func TestMove(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	super := tr.add(t, tr.ids[0], models.EntitySuperAgency, "SUP", percents("20"))
	agency := tr.add(t, super.ID, models.EntityAgency, "AGE", percents("15"))
	group := tr.add(t, agency.ID, models.EntityGroup, "GRU", percents("12"))
	point := tr.add(t, group.ID, models.EntityTicketPoint, "TAQ", percents("10"))
	poor := tr.add(t, super.ID, models.EntityAgency, "POOR", percents("11"))
	rich := tr.add(t, super.ID, models.EntityAgency, "RICH", percents("18"))
	for name, tt := range map[string]struct {
		by     caller.Caller
		id, to uuid.UUID
		want   error
	}{
		"itself":            {tr.scope(), agency.ID, agency.ID, org.ErrCycle},
		"below itself":      {tr.scope(), agency.ID, point.ID, org.ErrCycle},
		"wrong type":        {tr.scope(), group.ID, point.ID, org.ErrCycle},
		"wrong type beside": {tr.scope(), rich.ID, group.ID, org.ErrTypeOrder},
		"same type":         {tr.scope(), rich.ID, poor.ID, org.ErrTypeOrder},
		"the root":          {tr.scope(), tr.ids[0], super.ID, org.ErrRootProtected},
		"out of the scope":  {testkit.Within(agency.Path), group.ID, rich.ID, org.ErrEntityNotFound},
		"into the scope":    {testkit.Within(agency.Path), rich.ID, agency.ID, org.ErrEntityNotFound},
		"one's own":         {testkit.Within(agency.Path), agency.ID, agency.ID, org.ErrOwnEntity},
		"too high a rate":   {tr.scope(), group.ID, poor.ID, org.ErrRates},
	} {
		_, _, err := tr.Move(t.Context(), tt.by, org.MoveRequest{EntityID: tt.id, ParentID: tt.to})
		require.ErrorIs(t, err, tt.want, name)
	}
	before := tr.paths(t)
	_, what, err := tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: group.ID, ParentID: poor.ID, DryRun: true})
	require.NoError(t, err)
	require.Equal(t, []org.RateViolation{{EntityID: group.ID, Code: "GRU", Kind: org.RateCommission, Percent: 1200, Allowed: 1100}}, what.Violations)
	require.Equal(t, before, tr.paths(t), "a dry run changes nothing")

	_, err = tr.Chain(t.Context(), point.ID) // from memory, if it were not forgotten
	require.NoError(t, err)
	moved, what, err := tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: group.ID, ParentID: rich.ID})
	require.NoError(t, err)
	require.Empty(t, what.Violations)
	assert.Equal(t, []any{rich.ID, rich.Path + group.ID.String() + "/"}, []any{moved.ParentID, moved.Path})
	chain, err := tr.Chain(t.Context(), point.ID)
	require.NoError(t, err)
	assert.Equal(t, rich.Path+group.ID.String()+"/"+point.ID.String()+"/", chain.Path())
	assert.Equal(t, []money.BasisPoints{2000, 1800, 1200, 1000}, chain.CommissionRates("", ""))
	var waiting int
	require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM outbox WHERE kind = 'risk.rebuild' AND payload @> '{"all": true}' AND process_at > now()`).Scan(&waiting))
	assert.Equal(t, 1, waiting, "counts follow")
	_, _, err = tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: group.ID, ParentID: rich.ID})
	require.NoError(t, err, "where it is already")
}

func (tr *tree) paths(t testing.TB) map[string]string {
	t.Helper()
	list, total, err := tr.Entities(t.Context(), tr.scope(), &org.EntityFilter{Limit: 1000})
	require.NoError(t, err)
	require.Len(t, list, int(total))
	all := map[string]string{}
	for _, e := range list {
		all[e.Code] = e.Path
	}
	return all
}

func TestDelete(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	agency := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	group := tr.add(t, agency.ID, models.EntityGroup, "GRU", `{}`)
	walleted := tr.add(t, agency.ID, models.EntityGroup, "WAL", `{}`)
	sold := tr.add(t, agency.ID, models.EntityGroup, "SOLD", `{}`)
	waiting := tr.add(t, agency.ID, models.EntityGroup, "WAIT", `{}`)
	tr.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'VES', 'B', 2)`, tr.ids[0])
	for _, id := range []uuid.UUID{walleted.ID, sold.ID, waiting.ID, tr.ids[0]} {
		tr.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, unlimited) VALUES ($1, $1, $2, true)`, id, tr.ids[0])
	}
	for _, amounts := range [][2]int64{{5, -5}, {-5, 5}} { // back to zero, and moved all the same
		tr.exec(t, `INSERT INTO postings (transaction_id, wallet_id, amount, direct) VALUES ($1::uuid, $2::uuid, $4::bigint, true), ($1, $3::uuid, $5::bigint, true)`,
			uuid.New(), sold.ID, tr.ids[0], amounts[0], amounts[1])
		tr.exec(t, `INSERT INTO postings (transaction_id, wallet_id, amount, direct) VALUES ($1::uuid, $2::uuid, $4::bigint, false), ($1, $3::uuid, $5::bigint, true)`,
			uuid.New(), waiting.ID, tr.ids[0], amounts[0], amounts[1])
	}
	for name, tt := range map[string]struct {
		by   caller.Caller
		id   uuid.UUID
		want error
	}{
		"root": {tr.scope(), tr.ids[0], org.ErrRootProtected}, "with children": {tr.scope(), agency.ID, org.ErrHasChildren},
		"foreign": {testkit.Within(group.Path), agency.ID, org.ErrEntityNotFound}, "own": {testkit.Within(group.Path), group.ID, org.ErrOwnEntity},
		"moved money": {tr.scope(), sold.ID, org.ErrMovedMoney}, "pending money": {tr.scope(), waiting.ID, org.ErrMovedMoney},
		"with a wallet": {tr.scope(), walleted.ID, org.ErrEntityInUse},
	} {
		require.ErrorIs(t, tr.Delete(t.Context(), tt.by, tt.id), tt.want, name)
	}
	written := tr.add(t, agency.ID, models.EntityGroup, "MSG", `{}`)
	tr.exec(t, `INSERT INTO message_logs (id, entity_id, recipient, body) VALUES ($1, $1, '+584121234567', 'x')`, written.ID)
	require.ErrorIs(t, tr.Delete(t.Context(), tr.scope(), written.ID), org.ErrEntityInUse)
	tr.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES ($1, $1, $2, 'stake', 5)`, group.ID, tr.ids[0])
	require.NoError(t, tr.Delete(t.Context(), tr.scope(), group.ID))
	_, err := tr.Entity(t.Context(), tr.scope(), group.ID)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	require.ErrorIs(t, tr.Delete(t.Context(), tr.scope(), group.ID), org.ErrEntityNotFound)
}

func TestListAndTree(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	b := tr.add(t, tr.ids[0], models.EntityAgency, "B_1", `{}`)
	a := tr.add(t, tr.ids[0], models.EntityAgency, "A", `{}`)
	g := tr.add(t, b.ID, models.EntityGroup, "G", `{}`)
	_, err := tr.SetStatus(t.Context(), tr.scope(), g.ID, models.StatusActive)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		by     caller.Caller
		filter org.EntityFilter
		want   []string
		total  int64
	}{
		"all":        {tr.scope(), org.EntityFilter{Limit: 9}, []string{"A", "B_1", "G", "OPERATOR"}, 4},
		"a page":     {tr.scope(), org.EntityFilter{Limit: 1, Offset: 1}, []string{"B_1"}, 4},
		"newest":     {tr.scope(), org.EntityFilter{Limit: 1, Sort: "-created_at"}, []string{"G"}, 4},
		"status":     {testkit.Within(b.Path), org.EntityFilter{Status: models.StatusActive, Limit: 9}, []string{"G"}, 1},
		"type":       {tr.scope(), org.EntityFilter{Type: models.EntityAgency, Limit: 9}, []string{"A", "B_1"}, 2},
		"parent":     {tr.scope(), org.EntityFilter{ParentID: b.ID, Limit: 9}, []string{"G"}, 1},
		"not others": {testkit.Within(a.Path), org.EntityFilter{ParentID: b.ID, Limit: 9}, []string{}, 0},
		"text":       {tr.scope(), org.EntityFilter{Text: "b_", Limit: 9}, []string{"B_1"}, 1},
		"no pattern": {tr.scope(), org.EntityFilter{Text: "%", Limit: 9}, []string{}, 0},
		"no scope":   {caller.Caller{}, org.EntityFilter{Limit: 9}, []string{}, 0},
	} {
		list, total, err := tr.Entities(t.Context(), tt.by, &tt.filter)
		require.NoError(t, err, name)
		codes := []string{}
		for _, e := range list {
			codes = append(codes, e.Code)
		}
		assert.Equal(t, tt.want, codes, name)
		assert.Equal(t, tt.total, total, name)
	}
	root, err := tr.Tree(t.Context(), tr.scope(), tr.ids[0])
	require.NoError(t, err)
	require.Len(t, root.Children, 2)
	assert.Equal(t, []string{"A", "B_1", "G"}, []string{root.Children[0].Code, root.Children[1].Code, root.Children[1].Children[0].Code})
	own, err := tr.Tree(t.Context(), testkit.Within(b.Path), b.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{"B_1", 1}, []any{own.Code, len(own.Children)})
	_, err = tr.Tree(t.Context(), testkit.Within(a.Path), b.ID)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	_, err = tr.Tree(t.Context(), caller.Caller{}, tr.ids[0])
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}

func TestEffective(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	agency := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{"print_info": {"title": "T"}, "config_info": {"cancels_per_day": 3, "confirm_line_above": 500}, "contact_info": {"person": "P"},
		"finance_info": {"commissions": [{"percent": "15"}, {"category": "TRIPLES", "percent": "9"}]}}`)
	group := tr.add(t, agency.ID, models.EntityGroup, "GRU", `{"config_info": {"cancels_per_day": 4}, "finance_info": {"commissions": [{"category": "TRIPLES", "percent": "8"}]}}`)
	e, err := tr.Effective(t.Context(), tr.scope(), group.ID)
	require.NoError(t, err)
	assert.False(t, e.CanSell)
	from := func(g, key string) (string, string) {
		v := e.Groups[g][key]
		if v.From == nil {
			return string(v.Value), ""
		}
		return string(v.Value), v.From.Code
	}
	for _, tt := range [][4]string{
		{org.GroupPrint, "title", `"T"`, "AGE"}, {org.GroupConfig, "cancels_per_day", "4", "GRU"}, {org.GroupConfig, "confirm_line_above", "500", "AGE"}, {org.GroupConfig, "sale_stop_seconds", "300", ""},
	} {
		value, code := from(tt[0], tt[1])
		assert.Equal(t, tt[2]+tt[3], value+code, tt[1])
	}
	assert.NotContains(t, e.Groups, org.GroupContact)
	require.Len(t, e.Commissions, 2)
	assert.Equal(t, []any{money.BasisPoints(1500), "AGE"}, []any{e.Commissions[0].Rate, e.Commissions[0].From.Code})
	assert.Equal(t, []any{"TRIPLES", money.BasisPoints(800), "GRU"}, []any{e.Commissions[1].Category, e.Commissions[1].Rate, e.Commissions[1].From.Code})
	_, err = tr.Effective(t.Context(), testkit.Within(group.Path), agency.ID)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}

// Rates and parents are changed concurrently: no entity is ever granted more than its parent, for any category and
// bet type, so that no rate is reduced when a sale is priced; and every path is its parent's with its id.
func TestRatesNeverExceedTheParents(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	kinds := []string{models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
	byLevel := make([][]uuid.UUID, len(kinds)+1)
	byLevel[0] = tr.ids
	var all []uuid.UUID
	for level, kind := range kinds {
		for i := range 2 {
			e := tr.add(t, byLevel[level][i%len(byLevel[level])], kind, fmt.Sprintf("%s-%d", kind, i), `{}`)
			byLevel[level+1], all = append(byLevel[level+1], e.ID), append(all, e.ID)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		var wait sync.WaitGroup
		for range rapid.IntRange(1, 4).Draw(rt, "at once") {
			id := rapid.SampledFrom(all).Draw(rt, "id")
			to := rapid.SampledFrom(append(tr.ids[:1:1], all...)).Draw(rt, "to")
			rates := rateText(rt)
			moves := rapid.Bool().Draw(rt, "moves")
			wait.Go(func() {
				var err error
				if moves {
					_, _, err = tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: id, ParentID: to})
				} else {
					_, _, err = tr.Update(t.Context(), tr.scope(), id, &org.Change{Groups: org.Groups{org.GroupFinance: rates}})
				}
				if err != nil && !errors.Is(err, org.ErrRates) && !errors.Is(err, org.ErrCycle) && !errors.Is(err, org.ErrTypeOrder) {
					assert.NoError(t, err)
				}
			})
		}
		wait.Wait()
		for _, id := range all {
			chain, err := tr.Chain(t.Context(), id)
			require.NoError(t, err)
			requireSound(t, chain)
		}
	})
}

func rateText(rt *rapid.T) org.Group {
	rates := rapid.SampledFrom([]string{"0", "5", "7.50", "10", "10.01"})
	g := org.Group{}
	commissions := []string{}
	for _, of := range []string{"", `"category":"A",`, `"bet_type":"x",`, `"category":"A","bet_type":"x",`} {
		if rapid.Bool().Draw(rt, "sets"+of) {
			commissions = append(commissions, `{`+of+`"percent":"`+rates.Draw(rt, "rate")+`"}`)
		}
	}
	g["commissions"] = jsontext.Value("[" + strings.Join(commissions, ",") + "]")
	g["participation"] = jsontext.Value("null")
	if rapid.Bool().Draw(rt, "shares") {
		g["participation"] = jsontext.Value(`{"percent":"` + rates.Draw(rt, "share") + `"}`)
	}
	return g
}

func requireSound(t testing.TB, chain org.Chain) {
	t.Helper()
	path := "/"
	for i, n := range chain {
		path += n.ID.String() + "/"
		require.Equal(t, path, n.Path)
		require.True(t, i == 0 || n.Type != chain[i-1].Type)
	}
	share := int64(10_000) // of the root, which grants all
	for i, n := range chain[1:] {
		p := n.Finance.Participation
		switch {
		case p != nil:
			own := hundredths(t, p.Percent)
			require.True(t, own >= 0 && own <= share, "share %d of %s below %d", own, n.Code, share)
			share = own
		case i == 0:
			share = 0
		}
	}
	for _, category := range []string{"", "A", "B"} {
		for _, bet := range []string{"", "x", "y"} {
			rates := chain.CommissionRates(category, bet)
			for i, rate := range rates {
				require.True(t, i == 0 || rate <= rates[i-1])
				if own, found := chain[i+1].Finance.Commission(category, bet); found {
					require.Equal(t, own, rate, "nothing is cut")
				}
			}
		}
	}
}
