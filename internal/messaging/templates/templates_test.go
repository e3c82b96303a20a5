package templates_test

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

type bundle struct {
	*fixture.Operator
	*templates.Service

	chain org.Chain // of the first ticket point
}

// seeded is the database that the tests begin with.
var seeded = fixture.Rows{Games: []string{"lotto-activo"}}.Template() //nolint:gochecknoglobals // a lazy constant

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded)}
	b.Service = templates.New(b.PG, b.Org)
	chain, err := b.Org.Chain(t.Context(), fixture.EntityID("TAQ-001"))
	require.NoError(t, err)
	b.chain = chain
	return b
}

func (b *bundle) at(level int) templates.Key {
	return templates.Key{EntityID: b.chain[level].ID, Purpose: templates.Cancellation, Language: templates.Spanish}
}

// by is a user of an entity of the chain.
func (b *bundle) by(level int) caller.Caller { return testkit.Within(b.chain[level].Path) }

func (b *bundle) put(t *testing.T, level int, body string) *templates.Template {
	t.Helper()
	now, err := b.Get(t.Context(), b.by(0), b.at(level))
	require.NoError(t, err)
	stored, err := b.Put(t.Context(), b.by(level), b.at(level), &templates.Draft{Body: body, Version: now.Version})
	require.NoError(t, err)
	return stored
}

// message returns the message of the ticket point.
func (b *bundle) message(t *testing.T) string {
	t.Helper()
	m, err := b.Compose(t.Context(), &templates.Request{EntityID: b.chain.Self().ID, Purpose: templates.Cancellation, Values: func(templates.Language) templates.Values {
		return templates.Values{templates.FieldSerial: "7K"}
	}})
	require.NoError(t, err)
	return m.Body
}

func TestTextsAreInheritedThroughTheLevels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	last := len(b.chain) - 1
	require.GreaterOrEqual(t, last, 3)
	require.Contains(t, b.message(t), "Ticket 7K ANULADO")
	for level := range b.chain {
		stored := b.put(t, level, "nivel "+string(rune('0'+level))+" {serial}")
		require.True(t, stored.Own)
		require.Equal(t, b.chain[level].ID, stored.From.ID)
		require.Equal(t, "nivel "+string(rune('0'+level))+" 7K", b.message(t))
	}
	for level := last; level > 0; level-- {
		own, err := b.Get(t.Context(), b.by(level), b.at(level))
		require.NoError(t, err)
		back, err := b.Delete(t.Context(), b.by(level), b.at(level), own.Version)
		require.NoError(t, err)
		require.False(t, back.Own)
		require.Equal(t, b.chain[level-1].ID, back.From.ID)
		require.Equal(t, own.Inherited, back.Text)
	}
	require.Equal(t, "nivel 0 7K", b.message(t))
	list, err := b.List(t.Context(), b.by(last), b.chain.Self().ID)
	require.NoError(t, err)
	require.Len(t, list, len(templates.Purposes())*2)
	require.EqualValues(t, 2*len(b.chain)-1, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'messaging' AND details::text LIKE '%"text"%'`))
}

// An entity that moves to another parent inherits there.
func TestAMovedEntityInheritsFromItsNewParent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	last := len(b.chain) - 1
	b.put(t, last-1, "antes {serial}")
	require.Equal(t, "antes 7K", b.message(t))
	other := uuid.New()
	group := b.chain[last-1]
	parent := b.chain[last-2]
	_, err := b.PG.Pool.Exec(t.Context(), `INSERT INTO entities (id, entity_type, name, code, path, parent_id, status) VALUES ($1::uuid, 'GROUP', 'Otro', 'OTRO', $2 || $1::text || '/', $3, 'active')`,
		other, parent.Path, parent.ID)
	require.NoError(t, err)
	_, err = b.PG.Pool.Exec(t.Context(), `INSERT INTO message_templates SELECT $1, purpose, language, 'después {serial}', '', '', '{}', '', version, now(), updated_by FROM message_templates WHERE entity_id = $2`,
		other, group.ID)
	require.NoError(t, err)
	_, _, err = b.Org.Move(t.Context(), testkit.Operator(b.chain[0].ID), org.MoveRequest{EntityID: b.chain.Self().ID, ParentID: other})
	require.NoError(t, err)
	require.Equal(t, "después 7K", b.message(t))
}

func TestScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	point := b.by(len(b.chain) - 1)
	for name, call := range map[string]func() error{
		"list": func() error { _, err := b.List(t.Context(), point, b.chain[0].ID); return err },
		"get":  func() error { _, err := b.Get(t.Context(), point, b.at(0)); return err },
		"put": func() error {
			_, err := b.Put(t.Context(), point, b.at(0), &templates.Draft{Body: "{serial}"})
			return err
		},
		"delete":  func() error { _, err := b.Delete(t.Context(), point, b.at(0), uuid.New()); return err },
		"preview": func() error { _, err := b.Preview(t.Context(), point, b.at(0), &templates.Draft{}); return err },
	} {
		require.ErrorIs(t, call(), org.ErrEntityNotFound, name)
	}
	for _, key := range []templates.Key{{Purpose: "x", Language: "es"}, {Purpose: templates.Receipt, Language: "fr"}, {}} {
		key.EntityID = b.chain[0].ID
		_, err := b.Get(t.Context(), b.by(0), key)
		require.ErrorIs(t, err, templates.ErrNotFound)
	}
}

// Of fifty who read the same version and change it at once, one changes it.
func TestFiftyChangesAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, version := range []uuid.UUID{uuid.Nil, b.put(t, 1, "uno {serial}").Version} {
		level := 1
		if version == uuid.Nil {
			level = 2
		}
		var running sync.WaitGroup
		var stored atomic.Int64
		for range 50 {
			running.Go(func() {
				_, err := b.Put(t.Context(), b.by(level), b.at(level), &templates.Draft{Body: "dos {serial}", Version: version})
				if err == nil {
					stored.Add(1)
					return
				}
				assert.ErrorIs(t, err, templates.ErrChanged)
			})
		}
		running.Wait()
		require.EqualValues(t, 1, stored.Load())
	}
	_, err := b.Delete(t.Context(), b.by(1), b.at(1), uuid.New())
	require.ErrorIs(t, err, templates.ErrChanged)
	_, err = b.Delete(t.Context(), b.by(3), b.at(3), uuid.New())
	require.ErrorIs(t, err, templates.ErrNotOwn)
}

func TestARefusedTextChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Put(t.Context(), b.by(0), b.at(0), &templates.Draft{Body: "sin serial {x}", Provider: templates.Provider{Name: "A"}})
	require.ErrorIs(t, err, templates.ErrInvalid)
	require.Zero(t, b.Number(t, `SELECT count(*) FROM message_templates`)+b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'messaging'`))
}

func TestPreview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Preview(t.Context(), b.by(0), b.at(3), &templates.Draft{
		Body: "{cliente}: {serial}\r\n{firma}", Provider: templates.Provider{Name: "void", Language: "es", Values: []string{templates.FieldSerial, templates.FieldSignature}},
	})
	require.NoError(t, err)
	require.Empty(t, p.Problems)
	require.Equal(t, "María Pérez: 7K2M9QXW4TPH", p.Message, "the entity has no signature")
	require.Equal(t, []string{"7K2M9QXW4TPH", "-"}, p.Values)
	p, err = b.Preview(t.Context(), b.by(0), b.at(3), &templates.Draft{Body: "{x}"})
	require.NoError(t, err)
	require.Len(t, p.Problems, 1)
	require.Empty(t, p.Message)
}

func TestSettingsChooseTheMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	root := b.chain[0].ID
	chosen := func() (list []templates.Purpose) {
		b.Org.Forget()
		for _, p := range templates.Purposes() {
			on, err := b.Wanted(t.Context(), b.chain.Self().ID, p)
			require.NoError(t, err)
			if on {
				list = append(list, p)
			}
		}
		return list
	}
	set := func(level int, settings string) {
		_, err := b.PG.Pool.Exec(t.Context(), `UPDATE entities SET messaging_settings = $2::jsonb WHERE id = $1`, b.chain[level].ID, settings)
		require.NoError(t, err)
	}
	always := []templates.Purpose{templates.Code, templates.OptOut, templates.OptIn}
	require.Equal(t, slices.Concat([]templates.Purpose{templates.Receipt, templates.Cancellation}, always), chosen())
	set(0, `{"prizes": true, "results": true, "closes": true, "settlements": true, "greeting": "Hola", "signature": "La Fortuna", "language": "en"}`)
	require.Equal(t, templates.Purposes(), chosen())
	require.Equal(t, "Ticket 7K CANCELLED ·\nThe receipt that you have is not valid any more.\nLa Fortuna", b.message(t), "the settings are inherited")
	set(2, `{"cancellations": false, "receipts": false, "prizes": false}`)
	require.NotContains(t, chosen(), templates.Cancellation)
	set(2, `{"enabled": false}`)
	require.Equal(t, append([]templates.Purpose{templates.Code, templates.DailyClose, templates.Settlement}, always[1:]...), chosen())
	require.NotEqual(t, uuid.Nil, root)
	require.Equal(t, models.MessageReceipt, string(templates.Receipt))
}
