package org

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/draws"
	"banca/internal/messaging"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/drawcause"
	"banca/web/kit"
)

const (
	readAlerts  = 200                // open alerts of draws that are compared with the sales of the entity
	shownAlerts = 5                  // of them that are listed
	failedFor   = 7 * 24 * time.Hour // how long a message that failed is an alert
)

// alert is something open about the entity or an entity below it, with the page where it is seen to.
type alert struct {
	Tone, Link, Text string

	Inside []alert // that are one row: only the operator can act on them
}

// alertSource adds the open alerts of a page to those of an entity.
type alertSource struct {
	page string // that the user must be able to open
	add  func(r *kit.Request, m *entityMoney) error
}

// loadAlerts adds the open alerts about the entity and everything below it, of the pages that the user may open.
func (p *pages) loadAlerts(r *kit.Request, m *entityMoney) error {
	sources := []alertSource{
		{links.BankAlerts, p.addBankAlerts}, {links.Reports + "/silent", p.addSilent}, {links.Differences, p.addDifferences},
		{links.Messages, p.addUndelivered},
	}
	ofDraws := alertSource{links.DrawAlerts, p.addDrawAlerts}
	if sources = append(sources, ofDraws); m.isOperator() { // who alone acts on them
		sources = append([]alertSource{ofDraws}, sources[:len(sources)-1]...)
	}
	for _, source := range sources {
		if !r.MayOpen(source.page) {
			continue
		}
		if err := source.add(r, m); err != nil {
			return err
		}
	}
	return nil
}

// fold makes one row of the alerts from the first one on, if the entity is not the operator and there are several.
func (m *entityMoney) fold(first int) {
	inside := slices.Clone(m.Alerts[first:])
	if m.isOperator() || len(inside) < 2 {
		return
	}
	m.Alerts = append(m.Alerts[:first], alert{Tone: kit.ToneWaiting, Link: links.DrawAlerts, Text: m.view.T("org.alerts.draws"), Inside: inside})
}

// addDrawAlerts adds the open alerts of draws that the entity, or an entity below it, has sold; for the operator the alerts of all draws.
func (p *pages) addDrawAlerts(r *kit.Request, m *entityMoney) error {
	defer m.fold(len(m.Alerts))
	list, total, err := p.Draws.Alerts(r.Context(), &draws.AlertFilter{Open: true, Others: m.isOperator()}, readAlerts, 0)
	if err != nil {
		return err
	}
	var failures []draws.CloseFailure
	if m.isOperator() {
		failures, err = p.Draws.CloseFailures(r.Context())
	} else {
		failures, list, err = p.soldAlerts(r, m, list)
		total = int64(len(list))
	}
	if err != nil {
		return err
	}
	m.addUnclosed(failures)
	for i := range list[:min(len(list), shownAlerts)] {
		a := &list[i]
		text := m.view.T("org.alerts.draw", a.Game, m.view.Clock(a.DrawTime), m.view.T("drawalert."+a.Kind))
		m.Alerts = append(m.Alerts, alert{Tone: kit.ToneTrouble, Link: links.Draws + "/" + a.DrawID.String(), Text: text})
	}
	m.add(kit.ToneTrouble, "org.alerts.more", total-int64(min(len(list), shownAlerts)), links.DrawAlerts)
	return nil
}

// soldAlerts returns the alerts of a list whose draws the entity, or an entity below it, has sold, as byCause does.
func (p *pages) soldAlerts(r *kit.Request, m *entityMoney, list []draws.Alert) ([]draws.CloseFailure, []draws.Alert, error) {
	ids := kit.Map(list, func(a *draws.Alert) uuid.UUID { return a.DrawID })
	sold, err := p.Reports.SoldDraws(r.Context(), r.Caller, m.entity.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	causes, others := byCause(slices.DeleteFunc(list, func(a draws.Alert) bool { return !sold[a.DrawID] }))
	return causes, others, nil
}

// byCause returns the causes for which draws of a list were not closed in an external system, and its other alerts.
func byCause(list []draws.Alert) (causes []draws.CloseFailure, others []draws.Alert) {
	for i := range list {
		a := &list[i]
		if a.Kind != models.AlertCloseFailed {
			others = append(others, *a)
			continue
		}
		at := slices.IndexFunc(causes, func(f draws.CloseFailure) bool { return f.Cause == a.Cause })
		if at < 0 {
			at = len(causes)
			causes = append(causes, draws.CloseFailure{Cause: a.Cause, Since: a.FirstAt})
		}
		causes[at].Draws++
		if a.FirstAt.Before(causes[at].Since) {
			causes[at].Since = a.FirstAt
		}
	}
	return causes, others
}

// addUnclosed adds one alert for each cause.
func (m *entityMoney) addUnclosed(causes []draws.CloseFailure) {
	for i := range causes {
		f := &causes[i]
		m.Alerts = append(m.Alerts, alert{Tone: kit.ToneTrouble, Link: drawcause.Link(&f.Cause), Text: drawcause.Text(m.view, f)})
	}
}

// addBankAlerts adds the open security alerts, which concern the operator.
func (p *pages) addBankAlerts(r *kit.Request, m *entityMoney) error {
	if !m.isOperator() {
		return nil
	}
	_, total, err := p.Alerts.List(r.Context(), r.Caller, &alerts.Filter{Open: true, Limit: 1})
	m.add(kit.ToneTrouble, "start.task.security", total, links.BankAlerts+"?open=1")
	return err
}

// addSilent adds the ticket points that usually sell by this hour and have sold nothing today, in bolívares.
func (p *pages) addSilent(r *kit.Request, m *entityMoney) error {
	currency, err := p.Ledger.AnyCurrency(r.Context(), "VES")
	if err != nil {
		return r.Warned(err)
	}
	_, total, err := p.Reports.Silent(r.Context(), r.Caller, &reports.Filter{EntityID: m.entity.ID, Currency: currency.Code}, 1, 0)
	m.add(kit.ToneWaiting, "start.task.silent", total, m.link(links.Reports+"/silent", "currency", currency.Code))
	return err
}

// addDifferences adds the open differences of paid prizes.
func (p *pages) addDifferences(r *kit.Request, m *entityMoney) error {
	_, total, err := p.Prizes.Differences(r.Context(), r.Caller, &prizes.DifferenceFilter{Below: m.entity.ID, Status: prizes.DifferenceOpen, Limit: 1})
	m.add(kit.ToneWaiting, "org.alerts.differences", total, m.link(links.Differences, "status", prizes.DifferenceOpen))
	return err
}

// addUndelivered adds the messages of the last seven days that could not be sent.
func (p *pages) addUndelivered(r *kit.Request, m *entityMoney) error {
	since := r.Now().Add(-failedFor)
	f := &messaging.Filter{EntityID: m.entity.ID, Status: models.MessageFailed, From: since}
	_, total, err := p.Messages.ListPage(r.Context(), r.Caller, f, messaging.Window{Limit: 1})
	m.add(kit.ToneWaiting, "org.alerts.messages", total, m.link(links.Messages, "status", models.MessageFailed, "from", m.today.AddDays(-daysOfWeek).String()))
	return err
}

// add adds an alert about a number of objects, if there are any. key has plural forms.
func (m *entityMoney) add(tone, key string, count int64, link string) {
	if count > 0 {
		m.Alerts = append(m.Alerts, alert{Tone: tone, Link: link, Text: m.view.N(key, count)})
	}
}

func (m *entityMoney) isOperator() bool { return m.entity.Type == models.EntityOperator }
