package org

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

// agencyMaker makes the steps of a form in turn.
type agencyMaker struct {
	pages *pages
	r     *kit.Request
	page  *agencyPage
	form  *kit.Form

	failed  error // of the step that was refused
	status  int
	problem string
}

// errStep ends the steps after one that was refused.
var errStep = errors.New("web: a step was refused")

// run makes what is missing. It returns errStep after a refused step, which is marked in the form.
func (m *agencyMaker) run() error {
	parent, err := m.pages.Org.Named(m.r.Context(), m.r.Caller, m.form.Get("parent"))
	if err != nil {
		return m.refuse("agency", err, map[string]string{org.ErrEntityNotFound.Code: "parent"})
	}
	agency, err := m.entity("agency", parent, models.EntityAgency)
	if err != nil {
		return err
	}
	point, err := m.entity("point", agency.ID, models.EntityTicketPoint)
	if err != nil {
		return err
	}
	if m.page.Money && m.form.Get("credit") != "" {
		if err := m.credit(point); err != nil {
			return err
		}
	}
	if m.page.Users {
		if err := m.user(point); err != nil {
			return err
		}
	}
	if m.page.Tools && m.form.Get("fingerprint") != "" {
		return m.device(point)
	}
	return nil
}

func (m *agencyMaker) add(kind, state, name, address string) {
	m.page.Steps = append(m.page.Steps, agencyStep{Kind: kind, State: state, Name: name, Address: address})
}

// refuse marks the step and the fields that an error is about. A failure is returned as it is.
func (m *agencyMaker) refuse(kind string, err error, fields map[string]string) error {
	status, text, ok := m.r.Explain(err)
	if !ok || !refusedBy(err) {
		return err
	}
	if status == http.StatusNotFound {
		status = http.StatusUnprocessableEntity
	}
	m.failed, m.status, m.problem = err, status, text
	m.add(kind, stepFailed, text, "")
	m.form.RefuseBy(err, "", fields)
	if m.form.Valid() {
		m.form.RefuseFor(fields[""], text)
	}
	return errStep
}

// entity makes an entity, or finds the one that an earlier sending of the form made: with its code, name, type and parent.
func (m *agencyMaker) entity(kind string, parent uuid.UUID, entityType string) (*org.Entity, error) {
	name, code := m.form.Get(kind), codeFrom(m.form, kind)
	groups := org.Groups{}
	if typed := m.form.Get(kind + "_rate"); typed != "" {
		rate, err := kit.ReadPercent(typed)
		if err != nil {
			return nil, err
		}
		rules, err := json.Marshal([]org.CommissionRule{{Percent: money.Amount(rate).Format(2)}})
		if err != nil {
			return nil, err
		}
		groups[org.GroupFinance] = org.Group{"commissions": jsontext.Value(rules)}
	}
	made, err := m.pages.Org.Create(m.r.Context(), m.r.Caller, &org.NewEntity{ParentID: parent, Type: entityType, Name: name, Code: code, Status: models.StatusActive, Groups: groups})
	if err == nil {
		m.add(kind, stepMade, made.Name, path+"/"+made.ID.String())
		return made, nil
	}
	if apperr.CodeOf(err) == org.ErrEntityExists.Code {
		there, failed := m.named(code)
		if failed != nil {
			return nil, failed
		}
		if there != nil && there.ParentID == parent && there.Type == entityType && there.Name == name {
			m.add(kind, stepThere, there.Name, path+"/"+there.ID.String())
			return there, nil
		}
	}
	return nil, m.refuse(kind, err, map[string]string{
		org.ErrEntityExists.Code: kind + "_code", "code": kind + "_code", "name": kind, org.ErrTypeOrder.Code: "parent", org.ErrRates.Code: kind + "_rate",
		org.GroupFinance + ".commissions": kind + "_rate", "": kind,
	})
}

// credit sets how far the wallet of the ticket point may go below zero. The same credit again changes nothing.
func (m *agencyMaker) credit(point *org.Entity) error {
	ctx, fields := m.r.Context(), map[string]string{"amount": "credit", "": "credit"}
	currency, err := m.pages.Ledger.Currency(ctx, m.form.Get("currency"))
	if err != nil {
		return m.refuse("credit", err, map[string]string{"": "currency"})
	}
	wallets, err := m.pages.Ledger.MainWallets(ctx, currency.ID, point.ID)
	if err != nil {
		return err
	}
	wallet, err := m.pages.Ledger.SetCredit(ctx, m.r.Caller, &ledger.CreditRequest{
		WalletID: wallets[0], Amount: kit.Decimal(m.form.Get("credit")), Currency: currency.Code, Reason: m.r.T("agency.reason"),
	})
	if err != nil {
		return m.refuse("credit", err, fields)
	}
	m.add("credit", stepMade, m.r.Money(wallet.CreditLimit, currency.Digits)+" "+currency.Unit(), walletsPath+"/"+wallet.ID.String())
	return nil
}

// user makes the user who sells, or finds the one that an earlier sending of the form made: with its name at the ticket point.
func (m *agencyMaker) user(point *org.Entity) error {
	ctx, by, name, identifier := m.r.Context(), m.r.Caller, m.form.Get("user"), m.form.Get("identifier")
	method := models.AuthWhatsApp
	if m.r.Form("password") != "" {
		method = models.AuthPassword
	}
	made, err := m.pages.Users.CreateUser(ctx, by, &auth.NewUser{
		EntityID: point.ID, Name: name, Identifier: identifier, Phone: m.form.Get("phone"), Role: models.RoleTaquilla, AuthMethod: method, Password: m.r.Form("password"),
	})
	if err == nil {
		m.add("user", stepMade, made.Name, "/admin/users/"+made.ID.String())
		return nil
	}
	if apperr.CodeOf(err) == auth.ErrUserExists.Code {
		there, _, failed := m.pages.Users.Users(ctx, by, &auth.UserFilter{EntityID: point.ID, Text: identifier, Limit: 1})
		if failed != nil {
			return failed
		}
		if len(there) == 1 && strings.EqualFold(there[0].Identifier, identifier) && there[0].Name == name {
			m.add("user", stepThere, there[0].Name, "/admin/users/"+there[0].ID.String())
			return nil
		}
	}
	return m.refuse("user", err, map[string]string{auth.ErrUserExists.Code: "identifier", "name": "user", auth.ErrWeakPassword.Code: "password", "": "user"})
}

// device registers the device of the ticket point. Its key is shown by the sending that registers it only.
func (m *agencyMaker) device(point *org.Entity) error {
	name := m.form.Get("device")
	made, key, err := m.pages.Devices.Register(m.r.Context(), m.r.Caller, &devices.NewDevice{EntityID: point.ID, Name: name, Fingerprint: m.form.Get("fingerprint")})
	if err == nil {
		m.page.Key = key
		m.add("device", stepMade, made.Name, "/admin/devices/"+made.ID.String())
		return nil
	}
	if apperr.CodeOf(err) == devices.ErrDeviceExists.Code {
		there, _, failed := m.pages.Devices.Devices(m.r.Context(), m.r.Caller, &devices.DeviceFilter{EntityID: point.ID, Limit: 1})
		if failed != nil {
			return failed
		}
		if len(there) == 1 && there[0].Name == name {
			m.add("device", stepThere, there[0].Name, "/admin/devices/"+there[0].ID.String())
			return nil
		}
	}
	return m.refuse("device", err, map[string]string{devices.ErrDeviceExists.Code: "fingerprint", "name": "device", "": "fingerprint"})
}
