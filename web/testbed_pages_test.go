package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/requestlog"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

// fillPages makes the objects of the pages that sales do not make, and declares the addresses of all pages with parameters.
func (s *testbed) fillPages(t *testing.T) {
	t.Helper()
	s.enter(t, "admin@banca.test")
	s.fillSales(t)
	s.fillBank(t)
	s.fillMessages(t)
	s.fillSystem(t)
	game, point := gamePath("lotto-activo"), entityPath(seed.CodeTicketPoint)
	s.add("/admin/games/:id", game)
	s.add("/admin/games/:id/draws", game+"/draws")
	for _, form := range []string{"payouts", "schedule", "mechanics", "sources"} {
		s.add("/admin/games/:id/"+form, game+"/"+form)
	}
	for _, form := range []string{"/payouts", "/mechanics", "/sources"} { // of a game with many bets, marks and signs
		s.add("/admin/games/:id"+form, map[string]string{"/payouts": gamePath("triple-zulia"), "/mechanics": gamePath("mega-animal-40"), "/sources": gamePath("triple-zulia")}[form]+form)
	}
	s.add("/admin/games/:id/elements/:code", game+"/elements/00")
	for _, path := range []string{entityPath(seed.CodeTicketPoint), entityPath(seed.CodeAgency), orgPath + "/" + rootID.String()} {
		s.add("/admin/organisation/:id", path)
	}
	for _, query := range []string{"", "?state=refused", "?state=empty"} {
		s.add(galleryPath, galleryPath+query)
	}
	for _, page := range []string{"panel", "operations", "counter"} {
		s.add("/docs/guide/:chapter", "/docs/guide/"+page)
	}
	for _, query := range []string{"", "?q=anular+ticket", "?q=zzzqqq"} {
		s.add("/docs/guide", "/docs/guide"+query)
	}
	s.add(orgPath, orgPath)
	s.add(agencyForm, agencyForm)
	for _, form := range []string{"/bulk", "/bulk-rates"} {
		s.add(orgPath+form, orgPath+form+"?parent="+seed.ID("entity", seed.CodeSuperAgency).String())
	}
	s.add(orgPath, orgPath+"?q=taquilla")
	s.add(weeklyPath, weeklyPath)
	s.add(weeklyPath, weeklyPath+"?below=all")
	s.add(weeklyPath, weeklyPath+"?week="+weekly.Monday(businessday.Of(s.Clock.Now(), fixture.Caracas)).String())
	s.add(bankPath+"/directory", bankPath+"/directory?bank=0134")
	s.add("/admin/organisation/:id/move", point+"/move")
	s.add("/admin/users/:id", "/admin/users/"+seed.ID("user", "taquilla@banca.test").String())
	device, _ := s.addDevice(t)
	s.add("/admin/devices/:id", "/admin/devices/"+device)
	s.add("/admin/activity/:id", s.follow(t, "/admin/activity", "/admin/activity/"))
}

// fillSales declares the pages of draws, prizes, customers, money and reports.
func (s *testbed) fillSales(t *testing.T) {
	t.Helper()
	for _, status := range []string{"settled", "open", "closed", "suspended"} {
		draw := s.idOf(t, `SELECT d.id::text FROM draws d LEFT JOIN ticket_items i ON i.draw_id = d.id WHERE d.status = $1 GROUP BY d.id ORDER BY coalesce(sum(i.potential_prize), 0) DESC LIMIT 1`, status)
		s.add("/admin/draws/:id", drawsPath+"/"+draw)
		s.add("/admin/exposure/:id", exposurePath+"/"+draw)
	}
	s.add("/admin/limits/:id", limitsPath+"/"+s.idOf(t, `SELECT l.id::text FROM risk_limits l JOIN entities e ON e.id = l.entity_id WHERE e.parent_id IS NULL AND l.game_id IS NULL ORDER BY l.currency_id = '`+seed.ID("currency", "VES").String()+`' DESC LIMIT 1`))
	ticket := s.idOf(t, `SELECT id::text FROM tickets WHERE status = 'won' ORDER BY prize DESC LIMIT 1`)
	s.add("/admin/prizes/:id", prizesPath+"/"+ticket)
	for _, status := range []string{"won", "pending", "cancelled"} {
		s.add("/admin/tickets/:id", ticketsPath+"/"+s.idOf(t, `SELECT id::text FROM tickets WHERE status = $1 ORDER BY total DESC LIMIT 1`, status))
	}
	s.add("/admin/prizes/:id", prizesPath+"/"+s.idOf(t, `SELECT ticket_id::text FROM paid_prizes ORDER BY paid_at LIMIT 1`))
	s.add("/admin/reports/sales/tickets", reportsPath+"/sales/tickets?draw="+s.idOf(t, `SELECT draw_id::text FROM ticket_items GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`))
	s.addCustomers(t)
	s.addMoney(t)
	s.send(t, closesPath, closesPath, http.StatusSeeOther, url.Values{
		"entity": {seed.CodeTicketPoint}, "currency": {"VES"}, "day": {s.Clock.Now().In(fixture.Caracas).Format(time.DateOnly)}, "opening": {"200"},
	})
	s.add("/admin/closes/:id", closesPath+"/"+s.idOf(t, `SELECT id::text FROM daily_closes`))
	w := s.do(http.MethodPost, reportsPath+"/files", url.Values{
		tokenField: {s.token(t, home)}, "report": {"expired-prizes"}, "format": {"csv"}, "currency": {"VES"}, "key": {uuid.NewString()},
		"from": {s.Clock.Now().Format(time.DateOnly)}, "to": {s.Clock.Now().Format(time.DateOnly)},
	})
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
}

func (s *testbed) addCustomers(t *testing.T) {
	t.Helper()
	ana := s.addCustomer(t, "María Ñáñez", "0414-123.45.67", "V-12.345.678")
	s.addCustomer(t, "José Gregorio Pérez", "0424-7654321", "V-8.765.432")
	s.addCustomer(t, "Comercial Los Andes", "0416-5550001", "")
	s.add("/admin/customers/:id", ana)
	s.add("/admin/customers/:id/merge", ana+"/merge")
	s.add("/admin/customers/:id/tickets", ana+"/tickets")
	s.add("/admin/customers/:id/payments", ana+"/payments")
}

func (s *testbed) addMoney(t *testing.T) {
	t.Helper()
	wallet := walletPath(seed.CodeTicketPoint, "VES")
	s.send(t, wallet+"/deposit", wallet+"/deposit", http.StatusSeeOther, url.Values{"amount": {"5.000,00"}, "reference": {"D-1041"}, "note": {"Efectivo"}, "key": {uuid.NewString()}, "sure": {"1"}})
	s.add("/admin/wallets/:id", wallet)
	s.add("/admin/wallets/:id/credit", wallet+"/credit")
	for _, kind := range []string{"deposit", "withdrawal", "transfer"} {
		s.add("/admin/wallets/:id/"+kind, wallet+"/"+kind)
	}
	s.add("/admin/currencies/:id", "/admin/currencies/"+seed.ID("currency", "USD").String())
	s.add("/admin/weekly/:id", weeklyPath+"/"+s.idOf(t, `SELECT id::text FROM weekly_settlements WHERE entity_id = $1 LIMIT 1`, fixture.EntityID(seed.CodeAgency)))
}

// fillBank receives payments, one of which is wrong, announces others and imports a statement.
func (s *testbed) fillBank(t *testing.T) {
	t.Helper()
	requests := bankPath + "/requests"
	for _, amount := range []string{"120,00", "77,10", "1.450,00"} {
		s.send(t, requests, requests, http.StatusSeeOther, url.Values{
			"entity": {seed.CodeTicketPoint}, "amount": {amount}, "client_id": {"V12345678"}, "client_phone": {"04141234567"}, "key": {uuid.NewString()},
		})
	}
	s.notify(t, "000012345678", "Pago movil")
	s.notify(t, "000012345679", "Recarga")
	s.creditEarlier(t)
	s.call(t, "/BancoNotifica", "wrong", `{"Referencia":"1"}`)
	s.call(t, "/BancoNotifica", bankToken, `{"Referencia":"000012345678","BancoEmisor":"0134","Monto":"78.10","CodigoRed":"00","Concepto":"Pago movil"}`)
	w := s.importStatement(t, s.Clock.Now().Format(time.DateOnly)+",000012345678,77.10\n2026-01-01,999,10")
	require.Equal(t, http.StatusSeeOther, w.Code)
	statement, _, _ := strings.Cut(w.Header().Get("Location"), "?")
	s.add("/admin/bank/statements/:id", statement)
	s.add("/admin/bank/events/:id", s.follow(t, bankPath+"/events", bankPath+"/events/"))
	for _, list := range []string{"unreconciled", "conflicts"} {
		s.add("/admin/bank/payments/:id", s.follow(t, bankPath+"/payments?list="+list, bankPath+"/payments/"))
	}
	s.add("/admin/bank/requests/:id", s.follow(t, requests, requests+"/"))
}

// creditEarlier adds payments of the last days.
func (s *testbed) creditEarlier(t *testing.T) {
	t.Helper()
	_, err := s.Env.PG.Pool.Exec(t.Context(), `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, transaction_id, event_id, received_at)
		SELECT gen_random_uuid(), bank_code, (900000000000 + n)::text, local_date - n, 80000 + n * 7919 % 13 * 21050, currency_id, 'credited', true, gen_random_uuid(), event_id,
			received_at - n * interval '1 day' FROM bank_payments, generate_series(0, 12) n WHERE reference = '000012345679'`)
	require.NoError(t, err)
}

// fillMessages connects an entity and sends messages, some of which fail.
func (s *testbed) fillMessages(t *testing.T) {
	t.Helper()
	s.add("/admin/messages/connections/:id", s.connect(t, seed.CodeAgency, "avila"))
	for range 3 {
		s.queue(t, "+584141234567")
	}
	s.work(t)
	s.fail(t, 4, "failed", "131026")
	s.add("/admin/messages/:id", s.follow(t, messagesPath, messagesPath+"/"))
	to, _ := s.send(t, messagesPath+"/undelivered", messagesPath+"/resends", http.StatusSeeOther, url.Values{"status": {"failed"}, "limit": {"2"}, "key": {uuid.NewString()}})
	resend, _, _ := strings.Cut(to, "?")
	s.work(t)
	s.add("/admin/messages/resends/:id", resend)
	s.add("/admin/messages/texts/:purpose/:language", messagesPath+"/texts/cancellation/es")
}

// fillSystem asks the assistant and logs requests.
func (s *testbed) fillSystem(t *testing.T) {
	t.Helper()
	chat := s.question(t, assistantPath, assistantPath, "¿cuánto vendimos ayer?")
	s.answered(t, chat)
	s.add("/admin/assistant/:id", chat)
	logRequests(t, s.Env, 120)
}

// logRequests writes requests of the last minutes to the request log; the last one failed.
func logRequests(t *testing.T, env *testkit.Env, count int) {
	t.Helper()
	recorder := requestlog.NewRecorder(clock.System{})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { recorder.Run(ctx, env.PG.SessionConfig(), slog.New(slog.DiscardHandler)) })
	now := time.Now().UTC().Truncate(time.Millisecond)
	for i := range count {
		entry := requestlog.Entry{
			At: now.Add(-time.Duration(count-i) * time.Second), Method: http.MethodGet, Path: "/sales/tickets", Status: http.StatusOK, Took: 3 * time.Millisecond,
			Address: netip.MustParseAddr("127.0.0.1"),
		}
		switch i % 4 {
		case 1:
			entry.Method, entry.Status = http.MethodPost, http.StatusCreated
		case 2:
			entry.Path, entry.Status = "/wallets/:id", http.StatusNotFound
		}
		if i == count-1 {
			entry.Method, entry.Path, entry.Status = http.MethodGet, "/reports/sales", http.StatusInternalServerError
		}
		recorder.Record(&entry)
	}
	require.Eventually(t, func() bool { return recorder.Stats().Written == uint64(count) }, testkit.WaitTimeout, tick)
	stop()
	running.Wait()
}
