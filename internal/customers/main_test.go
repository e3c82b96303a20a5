package customers_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a service over a root with two agencies, the first with two ticket points.
type bundle struct {
	*customers.Service
	env *testkit.Env

	agency  *models.Entity
	point   *models.Entity
	second  *models.Entity
	admin   caller.Caller // of the agency
	seller  caller.Caller // of the first ticket point
	foreign caller.Caller // of the other agency
}

func setup(t testing.TB) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{env: env, Service: customers.New(env.PG)}
	root := b.entity(t, nil, models.EntityOperator, "ROOT")
	b.agency = b.entity(t, root, models.EntityAgency, "AGE")
	b.point, b.second = b.entity(t, b.agency, models.EntityTicketPoint, "TA1"), b.entity(t, b.agency, models.EntityTicketPoint, "TA2")
	b.admin, b.seller = testkit.Caller(b.agency, auth.RolePermissions(models.RoleAdmin)), testkit.Caller(b.point, auth.RolePermissions(models.RoleTaquilla))
	b.foreign = testkit.Caller(b.entity(t, root, models.EntityAgency, "OTH"), auth.RolePermissions(models.RoleAdmin))
	return b
}

func (b *bundle) entity(t testing.TB, parent *models.Entity, kind, code string) *models.Entity {
	t.Helper()
	e := &models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: kind, Name: code, Code: code, Status: models.StatusActive, Path: "/"}
	if parent != nil {
		e.ParentID, e.Path = &parent.ID, parent.Path
	}
	e.Path += e.ID.String() + "/"
	require.NoError(t, b.env.PG.Gorm.Create(e).Error)
	return e
}

// create adds a customer to the first ticket point.
func (b *bundle) create(t testing.TB, name, phone string) customers.Customer {
	t.Helper()
	c, err := b.Create(t.Context(), b.seller, uuid.Nil, customers.Person{Name: name, Phone: phone})
	require.NoError(t, err)
	return c
}

// numbered returns the n-th telephone number.
func numbered(n int) string { return fmt.Sprintf("+58414%07d", n) }

// sell writes the customers of one batch of sales and returns their ids, again while another transaction inserts one of them, as a group commit of
// sales does.
func (b *bundle) sell(ctx context.Context, pg *storage.Postgres, buyers ...customers.Buyer) (ids []uuid.UUID, err error) {
	for range 10 {
		err = pg.Retried(ctx, func(tx pgx.Tx) (err error) {
			ids, err = sellTx(ctx, tx, buyers)
			return err
		})
		if storage.ViolatedUnique(err) == "" {
			break
		}
	}
	return ids, err
}

func sellTx(ctx context.Context, tx pgx.Tx, buyers []customers.Buyer) (ids []uuid.UUID, err error) {
	all, read, write := customers.NewBuyers(), &pgx.Batch{}, &pgx.Batch{}
	all.QueueRead(read, buyers)
	if err := tx.SendBatch(ctx, read).Close(); err != nil {
		return nil, err
	}
	for i := range buyers {
		ids = append(ids, all.Assign(&buyers[i]))
	}
	all.QueueWrite(write)
	if write.Len() == 0 {
		return ids, nil
	}
	return ids, tx.SendBatch(ctx, write).Close()
}

func (b *bundle) buyer(phone, document string) customers.Buyer {
	return customers.Buyer{EntityID: b.point.ID, Phone: phone, Name: "Comprador", IDDocument: document}
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// text reads one text.
func (b *bundle) text(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&text))
	return text
}
