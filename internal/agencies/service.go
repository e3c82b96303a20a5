package agencies

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/models"
	"banca/storage"
)

// Service makes agencies.
type Service struct {
	PG      *storage.Postgres
	Org     *org.Service
	Ledger  *ledger.Service
	Auth    *auth.Service
	Devices *devices.Service

	keys idempotency.Locks
}

// Request asks for an agency.
type Request struct {
	ParentID       uuid.UUID // of the agency
	Agency, Point  Entity
	Credit         *Credit            // of the ticket point; nil for none
	User           *auth.NewUser      // of the ticket point, which Make sets; nil for none
	Device         *devices.NewDevice // of the ticket point, which Make sets; nil for none
	IdempotencyKey string
}

// Entity is a part of the tree.
type Entity struct {
	Name, Code string
	Percent    string // its commission on all bets, a decimal with at most two decimals; "" to inherit
}

// Credit is how far the main wallet in a currency may go below zero.
type Credit struct{ Currency, Amount, Reason string }

// Made names the new parts; a part that was not asked for is Nil.
type Made struct {
	Agency, Point, Wallet, User, Device uuid.UUID

	AuthMethod string // of the user
	Key        string `json:"-"` // of the device; "" in the answer to a repeat, because it is not stored
}

// Make makes an agency with its parts, or nothing. A repeat of an idempotency key returns the first answer, and true.
// Errors: RefusedError with errors of org.Create, ledger.SetCredit, auth.CreateUser and devices.Register; errors of
// idempotency.
func (s *Service) Make(ctx context.Context, by caller.Caller, r *Request) (*Made, bool, error) {
	key, err := idempotency.KeyOf(by.EntityID, r.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{Key: key, Meaning: r.meaning()}
	p := &prepared{}
	return idempotency.Once(ctx, s.PG.Pool, use, p.madeOf, func() (*Made, error) {
		if err := s.prepare(ctx, r, p); err != nil {
			return nil, err
		}
		return s.write(ctx, by, p, use)
	})
}

// write makes the prepared parts and stores the key in one transaction.
func (s *Service) write(ctx context.Context, by caller.Caller, p *prepared, use idempotency.Use) (*Made, error) {
	var made *Made
	err := s.PG.RetriedWithGorm(ctx, func(tx pgx.Tx, orm *gorm.DB) error {
		var err error
		if made, err = s.makeTx(ctx, by, tx, orm, p); err != nil {
			return err
		}
		stored, err := json.Marshal(made)
		if err != nil {
			return fmt.Errorf("store agency: %w", err)
		}
		return use.StoreTx(ctx, tx, &idempotency.Answer{Response: stored})
	})
	if err != nil {
		return nil, err
	}
	s.Org.Forget()
	return made, nil
}

// meaning is the request as its idempotency key stands for it. The password and the fingerprint are left out, because
// the hash of a meaning is quick to try, and so is the way to log in: a form that is sent again has no password.
func (r *Request) meaning() idempotency.Meaning {
	fields := []string{r.ParentID.String()}
	for _, e := range []Entity{r.Agency, r.Point} {
		fields = append(fields, e.Name, e.Code, idempotency.Decimal(e.Percent))
	}
	if c := r.Credit; c != nil {
		fields = append(fields, "credit", c.Currency, idempotency.Decimal(c.Amount))
	}
	if u := r.User; u != nil {
		fields = append(fields, "user", u.Name, u.Identifier, u.Phone)
	}
	if d := r.Device; d != nil {
		fields = append(fields, "device", d.Name)
	}
	return idempotency.Of("agency", fields...)
}

// prepared are the parts of a valid request.
type prepared struct {
	agency, point *org.Prepared
	credit        *ledger.Credit
	user          *auth.PreparedUser
	device        *devices.Prepared
}

// madeOf reads a stored answer. The key of the device is known if this request made the device, but the answer to its
// commit was lost.
func (p *prepared) madeOf(_ context.Context, a *idempotency.Answer) (*Made, error) {
	made := &Made{}
	if err := json.Unmarshal(a.Response, made); err != nil {
		return nil, fmt.Errorf("stored agency: %w", err)
	}
	if p.device != nil && p.device.ID() == made.Device {
		made.Key = p.device.Key
	}
	return made, nil
}

// prepare checks all parts, and hashes the password last. Errors: RefusedError with all parts that are invalid.
func (s *Service) prepare(ctx context.Context, r *Request, p *prepared) error {
	var refused RefusedError
	var err error
	check := func(part string) {
		if err != nil {
			refused = append(refused, Refusal{Part: part, Err: err})
		}
	}
	p.agency, err = s.Org.Prepare(ctx, r.Agency.below(r.ParentID, models.EntityAgency))
	check(PartAgency)
	p.point, err = s.Org.Prepare(ctx, r.Point.below(p.agency.ID(), models.EntityTicketPoint))
	check(PartPoint)
	if r.Credit != nil {
		p.credit, err = s.credit(ctx, r.Credit)
		check(PartCredit)
	}
	if r.Device != nil {
		r.Device.EntityID = p.point.ID()
		p.device, err = s.Devices.Prepare(r.Device)
		check(PartDevice)
	}
	if r.User != nil {
		r.User.EntityID = p.point.ID()
		p.user, err = s.Auth.PrepareUser(ctx, r.User)
		check(PartUser)
	}
	if refused != nil {
		return refused
	}
	return nil
}

// below returns the entity as a new one below another.
func (e Entity) below(parent uuid.UUID, kind string) *org.NewEntity {
	n := &org.NewEntity{ParentID: parent, Type: kind, Name: e.Name, Code: e.Code, Status: models.StatusActive}
	if e.Percent != "" {
		rules, _ := json.Marshal([]org.CommissionRule{{Percent: e.Percent}}) // org refuses an invalid percentage
		n.Groups = org.Groups{org.GroupFinance: {"commissions": jsontext.Value(rules)}}
	}
	return n
}

func (s *Service) credit(ctx context.Context, c *Credit) (*ledger.Credit, error) {
	currency, err := s.Ledger.Currency(ctx, c.Currency)
	if err != nil {
		return nil, err
	}
	return ledger.NewCredit(currency, c.Amount, c.Reason)
}

// makeTx writes the parts in the order of their locks: the tree, the wallet, the entity of the device.
func (s *Service) makeTx(ctx context.Context, by caller.Caller, tx pgx.Tx, orm *gorm.DB, p *prepared) (*Made, error) {
	if err := storage.LockTree.TakeGorm(orm); err != nil {
		return nil, err
	}
	made := &Made{Agency: p.agency.ID(), Point: p.point.ID()}
	if _, err := s.Org.CreateTx(ctx, by, orm, p.agency); err != nil {
		return nil, refuse(PartAgency, err)
	}
	if _, err := s.Org.CreateTx(ctx, by, orm, p.point); err != nil {
		return nil, refuse(PartPoint, err)
	}
	if p.credit != nil {
		wallet, err := s.Ledger.OpenWithCreditTx(ctx, by, tx, made.Point, p.credit)
		if err != nil {
			return nil, refuse(PartCredit, err)
		}
		made.Wallet = wallet.ID
	}
	if p.user != nil {
		user, err := s.Auth.CreateUserTx(ctx, by, orm, p.user)
		if err != nil {
			return nil, refuse(PartUser, err)
		}
		made.User, made.AuthMethod = user.ID, user.AuthMethod
	}
	if p.device != nil {
		if _, err := s.Devices.RegisterTx(ctx, by, orm, p.device); err != nil {
			return nil, refuse(PartDevice, err)
		}
		made.Device, made.Key = p.device.ID(), p.device.Key
	}
	return made, nil
}
