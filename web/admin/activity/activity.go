// Package activity has the pages of the activity log.
package activity

import (
	"context"
	"embed"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
	"banca/internal/services"
	"banca/web/admin/parts/program"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

const (
	path    = sentence.Path
	newest  = "-at" // the order of the list
	byParam = "by"  // chooses the actors
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list  kit.List[sentence.Row, listPage]
	entry kit.Page[entryPage]
}

// Area returns the pages of the activity log.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[sentence.Row, listPage]{
		Template: "activity", File: "activity", Columns: append(sentence.Columns(), fileColumns()...), Order: newest, Link: sentence.Link,
		Empty: "activity.empty", Rows: p.rows, Filter: filter, Page: listPageOf,
	}
	p.entry = kit.Page[entryPage]{Template: "entry", Load: p.loadEntry}
	read, write := kit.Can(auth.LogsRead), kit.Can(auth.LogsWrite)
	return kit.Area{Templates: templates, Guide: "people#the-activity-log", Routes: []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.system", "activity.title"),
		kit.Post(path, write, p.write),
		kit.Get(path+"/:id", read, p.entry.Show),
		kit.Action(path+"/:id", "/correct", write.Sensitive(), p.correct),
		kit.Action(path+"/:id", "/remove", write.Sensitive(), p.remove),
	}}
}

// listPage is the list of entries, with the form of a person's entry.
type listPage struct {
	Writes bool
	Form   *kit.Form
	Rows   kit.Rows // with those alike as one; nil for the rows of the list
}

func manualForm(m *activity.Manual) *kit.Form {
	return kit.NewForm(
		kit.TextInput("module", "label.module", 40).With("pattern=[a-z0-9_.]+ spellcheck=false").
			WithRule("activity.module.hint", true).Required().Into(&m.Module),
		kit.TextInput("target", "label.object", 300).With("spellcheck=false").Into(&m.Target), noteInput().Into(&m.Note),
	).WithPrefix("w-")
}

func noteInput() kit.Input {
	return kit.LinesInput("note", "label.note", 3).With("maxlength=1000").Required()
}

// Write asks for a person's entry.
func (p *listPage) Write(v *kit.View) *kit.Question {
	return v.Question(v.T("activity.write"), path, "", v.T("activity.write.do")).WithForm(p.Form).Opened(v.Problem != "")
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]sentence.Row, int64, error) {
	from, to := r.QueryBounds("from", "to")
	f := &activity.Filter{
		UserID: r.QueryID("user"), Module: r.Query("module"), Action: r.Query("action"), Target: r.Query("target"), Removed: r.Query("removed") != "",
		From: from, To: to, By: r.Query(byParam), Oldest: w.Order != newest, Limit: w.Limit, Offset: w.Offset,
	}
	f.Changes = f.Module == "" && f.Action == "" && f.UserID == uuid.Nil && f.Target == ""
	entries, total, err := p.Activity.List(r.Context(), r.Caller, f)
	if err != nil {
		return nil, 0, err
	}
	var ids []uuid.UUID
	if r.WantsFile() { // it has the values of the changes, too
		for i := range entries {
			ids = append(ids, idsIn(&entries[i])...)
		}
	}
	rows, err := sentence.Rows(r, p.Activity, entries, ids...)
	return rows, total, err
}

func listPageOf(r *kit.Request, rows []sentence.Row) (*listPage, error) {
	page := &listPage{Writes: r.May(auth.LogsWrite), Form: manualForm(&activity.Manual{}).FillFrom(r)}
	if kept := folded(rows); len(kept) < len(rows) && r.Query("sort") == "" {
		page.Rows = kit.RowsOf(sentence.Columns(), kept, sentence.Link, "")
	}
	return page, nil
}

// period is the time within which entries of one user and action are one row, from fewest of them on.
const period, fewest = 15 * time.Minute, 3

// folded returns rows with one row for many of the same user and action at about the same time.
func folded(rows []sentence.Row) []sentence.Row {
	same := map[string][]sentence.Row{}
	kind := func(l *sentence.Row) string {
		if l.Manual || l.Edited || l.Removed {
			return l.ID.String()
		}
		return strings.Join([]string{l.UserID.String(), l.Module, l.Action, l.EntityID.String(), l.At.Truncate(period).String()}, " ")
	}
	for i := range rows {
		same[kind(&rows[i])] = append(same[kind(&rows[i])], rows[i])
	}
	return kit.FoldAlike(rows, kit.Alike[sentence.Row]{
		Kind: kind, Keep: func(l *sentence.Row) bool { return len(same[kind(l)]) < fewest },
		Fold: func(l *sentence.Row, _ int) { l.Same = same[kind(l)] },
	})
}

// fileColumns are the columns of the file.
func fileColumns() []kit.Column[sentence.Row] {
	return []kit.Column[sentence.Row]{
		{Title: "label.time", File: func(l *sentence.Row) sheet.Cell { return sheet.Time(l.At) }},
		{Title: "label.user", Text: func(l *sentence.Row) string { return l.UserName }},
		{Title: "label.entity", Text: func(l *sentence.Row) string { return l.Entity }},
		{Title: "activity.kind", Words: func(v *kit.View, l *sentence.Row) string { return sentence.Label(v, l.Module, "module.") }},
		{Title: "activity.did", Words: func(v *kit.View, l *sentence.Row) string { return sentence.Deed(v, &l.Log) }},
		{Title: "label.object", Words: func(v *kit.View, l *sentence.Row) string { return l.Names.Object(v, &l.Log).Text }},
		{Title: "label.what", Words: func(v *kit.View, l *sentence.Row) string { return l.Names.Text(v, &l.Log) }},
		{Title: "activity.changes", Words: func(v *kit.View, l *sentence.Row) string {
			return (&entryPage{Log: &l.Log, Names: l.Names}).changesText(v)
		}},
		{Title: "label.note", Text: func(l *sentence.Row) string { return l.Note }},
		{Title: "label.address", Text: func(l *sentence.Row) string { return l.Address }},
		{Title: "label.details", Words: func(v *kit.View, l *sentence.Row) string {
			return (&entryPage{Log: &l.Log, Names: l.Names}).detailsText(v)
		}},
		{Title: "label.state", Words: func(v *kit.View, l *sentence.Row) string { return l.State(v) }},
		{Title: "label.hash", Text: func(l *sentence.Row) string { return hex.EncodeToString(l.Hash) }},
		{Title: "label.id", Text: func(l *sentence.Row) string { return l.ID.String() }},
	}
}

// entryPage is one entry with its corrections.
type entryPage struct {
	*activity.Log

	Names      *sentence.Names
	Hash       string
	Amendments []activity.Log
	Writes     bool
}

// Correct asks for a correction of the entry.
func (p *entryPage) Correct(v *kit.View) *kit.Question {
	return p.ask(v, "correct").WithForm(kit.NewForm(noteInput()).Put("note", p.Note))
}

// removal asks for the reason to remove the entry; nil for a user without the permission.
func (p *entryPage) removal(v *kit.View) *kit.Question {
	if !p.Writes {
		return nil
	}
	return p.ask(v, "remove").WithForm(kit.NewForm(kit.TextInput("note", "label.reason", 1000).Required()).WithPrefix("remove-")).Irreversible(true)
}

func (p *entryPage) ask(v *kit.View, action string) *kit.Question {
	key := "activity." + action
	return v.Question(v.T(key), path+"/"+p.ID.String()+"/"+action, v.T(key+".ask"), v.T(key+".do"))
}

func (p *pages) loadEntry(r *kit.Request) (*entryPage, error) {
	entry, amendments, err := p.Activity.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	names, err := sentence.NamesOf(r, p.Activity, []activity.Log{*entry}, idsIn(entry)...)
	if err != nil {
		return nil, err
	}
	return &entryPage{
		Log: entry, Names: names, Hash: hex.EncodeToString(entry.Hash), Amendments: amendments,
		Writes: r.May(auth.LogsWrite) && !entry.Removed && entry.Amends == uuid.Nil,
	}, nil
}

// Head returns the head of the page, whose title is the sentence of the entry.
func (p *entryPage) Head(v *kit.View) *kit.Head {
	return v.Head(p.Names.Text(v, p.Log)).Parent(v.T("activity.title"), path).
		Ask(p.removal(v)).StateIf(p.Removed, "log", "removed").StateIf(p.Edited && !p.Removed, "log", "edited").StateIf(p.Manual, "log", "manual")
}

// Facts returns the properties of the entry, without the empty ones.
func (p *entryPage) Facts(v *kit.View) []kit.Fact {
	client := program.Of(p.UserAgent)
	all := []kit.Fact{
		{Name: v.T("label.time"), Value: kit.At(v.ExactTime(p.At))},
		{Name: v.T("label.user"), Value: p.Names.User(v, p.Log).Cell()},
		{Name: v.T("label.entity"), Value: p.Names.Entity(v, p.Log).Cell()},
		{Name: v.T("label.object"), Value: p.Names.Object(v, p.Log).Cell()},
		{Name: v.T("label.note"), Value: kit.Wrap(p.Note)},
		{Name: v.T("label.address"), Value: kit.Mono(p.Address)},
		{Name: v.T("label.program"), Value: kit.Text(client.Text(v))},
	}
	return slices.DeleteFunc(all, func(f kit.Fact) bool { return f.Value.Empty() })
}

// Chained returns the place of the entry in the chain and its hash; nil if it is not in the chain yet.
func (p *entryPage) Chained(v *kit.View) []kit.Fact {
	if p.Hash == "" {
		return nil
	}
	return []kit.Fact{{Name: v.T("activity.place"), Value: kit.Text(v.Count(p.Seq))}, {Name: v.T("label.hash"), Value: kit.Mono(p.Hash)}}
}

// SameObject returns the address of the list of the entries about the same object; "" for an entry without one.
func (p *entryPage) SameObject() string {
	if p.Target == "" {
		return ""
	}
	return path + "?" + url.Values{"target": {p.Target}}.Encode()
}

// write adds a person's entry.
func (p *pages) write(r *kit.Request) error {
	entry := &activity.Manual{EntityID: r.Caller.EntityID, Action: "note"}
	manualForm(entry).Take(r)
	_, err := p.Activity.Write(r.Context(), r.Caller, entry)
	return p.list.AsPage().Submit(r, err, "activity.written", func(page *listPage) { page.Form.RefuseBy(err, "") })
}

func (p *pages) correct(r *kit.Request) error {
	return p.amend(r, "activity.corrected", p.Activity.Correct)
}

func (p *pages) remove(r *kit.Request) error {
	return p.amend(r, "activity.removed", p.Activity.Remove)
}

func (p *pages) amend(r *kit.Request, notice string, amend func(ctx context.Context, by caller.Caller, id uuid.UUID, text string) (*activity.Log, error)) error {
	_, err := amend(r.Context(), r.Caller, r.ID, r.Text("note"))
	return p.entry.Submit(r, err, notice)
}

func filter(r *kit.Request) (*kit.Filter, error) {
	removed := kit.SelectField("removed", "activity.removed", []kit.Option{{Value: "1", Text: r.T("word.yes")}})
	removed.First = "word.no"
	by := kit.SelectField(byParam, "activity.by", r.Options("activity.by.", activity.ByPeople, activity.BySystem))
	fields := []kit.FilterField{kit.HiddenIDField("user"), kit.HiddenField("target"), moduleField(r), actionField(r), by}
	return &kit.Filter{Fields: append(fields, kit.DateField("from", "label.from"), kit.DateField("to", "label.to"), removed), Views: []kit.SavedView{
		{Title: "activity.actions"}, {Title: "activity.by.people", Values: map[string]string{byParam: activity.ByPeople}},
		{Title: "activity.by.system", Values: map[string]string{byParam: activity.BySystem}},
		{Title: "activity.logins", Values: map[string]string{"module": "auth", "action": activity.AuthLogin.Name()}},
	}}, nil
}

// moduleField chooses the subject of entries. The module of an entry that a person wrote is free text.
func moduleField(r *kit.Request) kit.FilterField {
	options := kit.OptionsOf(activity.Modules(), func(m activity.Module) (value, text string) {
		return m.Name, r.T("module." + m.Name)
	})
	if chosen := r.Query("module"); chosen != "" && activity.ActionsOf(chosen) == nil {
		options = append(options, kit.Option{Value: chosen, Text: chosen})
	}
	return kit.SelectField("module", "activity.kind", options)
}

// actionField chooses an action of the chosen module. Without a module, it keeps the action of the address.
func actionField(r *kit.Request) kit.FilterField {
	module := r.Query("module")
	actions := activity.ActionsOf(module)
	if chosen := r.Query("action"); actions == nil || chosen != "" && !slices.Contains(actions, chosen) {
		return kit.HiddenField("action")
	}
	return kit.SelectField("action", "activity.did", r.Options("did."+module+".", actions...))
}
