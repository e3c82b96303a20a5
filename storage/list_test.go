package storage_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/models"
	"banca/storage"
)

// Both lists return a page and the number of rows on all pages, also for a page behind the last one.
func TestListsReturnAPageAndTheTotal(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), `INSERT INTO banks (code, name, status) SELECT '99' || n, 'bank', CASE WHEN n % 2 = 0 THEN 'active' ELSE 'retired' END
		FROM generate_series(10, 19) n`)
	require.NoError(t, err)
	lists := map[string]func(limit, offset int) ([]string, int64, error){
		"List": func(limit, offset int) ([]string, int64, error) {
			w := &storage.Where{}
			w.And(`b.code LIKE ` + w.Arg("99%"))
			w.And(`b.status = ` + w.Arg("active"))
			l := &storage.Listing{Columns: `b.code`, From: `FROM banks b LEFT JOIN currencies c ON c.code = b.code`, CountFrom: `FROM banks b`, Where: w, Order: `b.code DESC`}
			return storage.List(t.Context(), env.PG.Pool, l, pgx.RowTo[string], limit, offset)
		},
		"List by key": func(limit, offset int) ([]string, int64, error) {
			w := &storage.Where{}
			w.And(`b.code LIKE ` + w.Arg("99%"))
			w.And(`b.status = ` + w.Arg("active"))
			l := &storage.Listing{Columns: `b.code`, From: `FROM banks b LEFT JOIN currencies c ON c.code = b.code`, CountFrom: `FROM banks b`, Where: w, Order: `b.code DESC`, Key: `b.code`}
			return storage.List(t.Context(), env.PG.Pool, l, pgx.RowTo[string], limit, offset)
		},
		"Find": func(limit, offset int) ([]string, int64, error) {
			q := env.PG.Gorm.WithContext(t.Context()).Model(&models.Bank{}).Where("code LIKE ?", "99%").Where("status = ?", "active")
			banks, total, err := storage.Find[models.Bank](q, "code DESC", limit, offset)
			codes := make([]string, len(banks))
			for i := range banks {
				codes[i] = banks[i].Code
			}
			return codes, total, err
		},
	}
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, page := range []struct {
				limit, offset int
				codes         []string
			}{{2, 0, []string{"9918", "9916"}}, {2, 4, []string{"9910"}}, {2, 6, []string{}}} {
				codes, total, err := list(page.limit, page.offset)
				require.NoError(t, err)
				assert.Equal(t, page.codes, codes)
				assert.EqualValues(t, 5, total)
			}
		})
	}
}

// Beyond MaxCounted the number of rows is a bound, which leads to the next page as long as there is one.
func TestListsCountUpToABound(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const rows = storage.MaxCounted + 200
	_, err := env.PG.Pool.Exec(t.Context(), `CREATE TABLE many AS SELECT n AS id FROM generate_series(1, $1::integer) n`, rows)
	require.NoError(t, err)
	type many struct{ ID int }
	lists := map[string]func(limit, offset int) (int, int64, error){
		"List": func(limit, offset int) (int, int64, error) {
			l := &storage.Listing{Columns: `id`, From: `FROM many`, Where: &storage.Where{}, Order: `id`}
			list, total, err := storage.List(t.Context(), env.PG.Pool, l, pgx.RowTo[int], limit, offset)
			return len(list), total, err
		},
		"Find": func(limit, offset int) (int, int64, error) {
			list, total, err := storage.Find[many](env.PG.Gorm.WithContext(t.Context()).Table("many"), "id", limit, offset)
			return len(list), total, err
		},
		"FindKeyed": func(limit, offset int) (int, int64, error) {
			list, total, err := storage.FindKeyed[many](env.PG.Gorm.WithContext(t.Context()).Table("many"), "id", storage.Page{Limit: limit, Offset: offset, InOrder: true})
			return len(list), total, err
		},
	}
	for name, list := range lists {
		for _, page := range []struct{ offset, rows, total int }{
			{0, 100, storage.MaxCounted}, {storage.MaxCounted - 100, 100, storage.MaxCounted + 1}, {storage.MaxCounted, 100, storage.MaxCounted + 101},
			{storage.MaxCounted + 100, 100, rows}, {rows, 0, rows},
		} {
			found, total, err := list(100, page.offset)
			require.NoError(t, err, name)
			assert.Equal(t, []int{page.rows, page.total}, []int{found, int(total)}, "%s from %d", name, page.offset)
		}
	}
	for _, page := range []struct{ offset, total int }{{0, 500}, {400, 501}, {500, 601}, {rows - 100, rows}} {
		_, total, err := storage.FindKeyed[many](env.PG.Gorm.WithContext(t.Context()).Table("many"), "id", storage.Page{Limit: 100, Offset: page.offset, Counted: 500})
		require.NoError(t, err)
		assert.EqualValues(t, page.total, total, "from %d", page.offset)
	}
}
