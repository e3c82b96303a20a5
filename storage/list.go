package storage

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Listing is the statement of a list. All but the parameters of Where is written in the source.
type Listing struct {
	Columns   string
	From      string // "FROM ..." with the joins
	CountFrom string // selects as many rows as From, without joins that only add columns; From when empty
	Where     *Where
	Order     string // of all rows, so that none is on two pages
	Key       string // if set, the keys of a page are selected from CountFrom first, which reads no more of the rows before the page
}

// MaxCounted is how many rows of a list are counted. Counting millions takes longer than reading a page of them.
const MaxCounted = 10_000

// countLimit bounds the count of a list: beyond it, the count says that there is a page after the one that is read.
func countLimit(limit, offset int) int { return max(MaxCounted, offset+limit+1) }

// Page is a part of a list of millions of rows, and how its rows are counted.
type Page struct {
	Limit, Offset int
	Counted       int  // the total is a lower bound from there on; 0 for MaxCounted
	InOrder       bool // count by the index of the order: without it, the planner may read a table from its beginning up to the rows that are asked for
	Whole         bool // the order reads all rows that match, so that it counts them, too: the total is exact
}

// pageQuerier is a pool or a transaction.
type pageQuerier interface {
	Querier
	RowQuerier
}

// List returns the rows of a page of l, limit from offset on, and the number of rows on all pages. From MaxCounted on, the number is a
// lower bound, greater than offset and limit together if there are more rows.
func List[T any](ctx context.Context, q pageQuerier, l *Listing, scan pgx.RowToFunc[T], limit, offset int) (rows []T, total int64, err error) {
	where, args := l.Where.SQL(), l.Where.Args()
	all := `SELECT count(*) FROM (SELECT 1 ` + cmp.Or(l.CountFrom, l.From) + where + ` LIMIT ` + strconv.Itoa(countLimit(limit, offset)) + `) counted`
	order := ` ORDER BY ` + l.Order
	page := order + ` LIMIT ` + l.Where.Arg(limit) + ` OFFSET ` + l.Where.Arg(offset)
	if l.Key != "" {
		where, page = ` WHERE `+l.Key+` IN (SELECT `+l.Key+` `+cmp.Or(l.CountFrom, l.From)+where+page+`)`, order
	}
	found, err := q.Query(ctx, `SELECT `+l.Columns+` `+l.From+where+page, l.Where.Args()...)
	if err != nil {
		return nil, 0, err
	}
	if rows, err = pgx.CollectRows(found, scan); err != nil {
		return nil, 0, err
	}
	if isLast(len(rows), limit, offset) {
		return rows, int64(offset + len(rows)), nil
	}
	if err := q.QueryRow(ctx, all, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	return rows, total, nil
}

// isLast reports whether a page with some rows is the last one of its list, so that nothing is left to count.
func isLast(rows, limit, offset int) bool { return rows < limit && (rows > 0 || offset == 0) }

// Find returns the rows of a page of a query, and their number as List does. q names the table and the conditions.
func Find[T any](q *gorm.DB, order string, limit, offset int) (rows []T, total int64, err error) {
	q = q.Session(&gorm.Session{}) // both statements start from q
	if err = q.Order(order).Limit(limit).Offset(offset).Find(&rows).Error; err != nil {
		return nil, 0, err
	}
	if isLast(len(rows), limit, offset) {
		return rows, int64(offset + len(rows)), nil
	}
	total, err = countOf(q, countLimit(limit, offset))
	return rows, total, err
}

// FindKeyed is Find for a table of millions with the key id: it selects the keys of a page first, which an index may have.
func FindKeyed[T any](q *gorm.DB, order string, p Page) (rows []T, total int64, err error) {
	q = q.Session(&gorm.Session{})
	if p.Whole {
		return findCounted[T](q, order, p)
	}
	keys := q.Select("id").Order(order).Limit(p.Limit).Offset(p.Offset)
	if err = q.Where("id IN (?)", keys).Order(order).Find(&rows).Error; err != nil {
		return nil, 0, err
	}
	if isLast(len(rows), p.Limit, p.Offset) {
		return rows, int64(p.Offset + len(rows)), nil
	}
	counted := q
	if p.InOrder {
		counted = q.Order(order)
	}
	total, err = countOf(counted, max(cmp.Or(p.Counted, MaxCounted), p.Offset+p.Limit+1))
	return rows, total, err
}

// findCounted is FindKeyed for a Whole page. A page behind the last one is counted by itself.
func findCounted[T any](q *gorm.DB, order string, p Page) (rows []T, total int64, err error) {
	var keys []struct {
		ID    uuid.UUID
		Total int64
	}
	if err = q.Select("id, count(*) OVER () AS total").Order(order).Limit(p.Limit).Offset(p.Offset).Scan(&keys).Error; err != nil {
		return nil, 0, err
	}
	if len(keys) == 0 {
		if p.Offset > 0 {
			total, err = countOf(q, MaxCounted)
		}
		return nil, total, err
	}
	ids := make([]uuid.UUID, len(keys))
	for i := range keys {
		ids[i] = keys[i].ID
	}
	err = q.Where("id IN ?", ids).Order(order).Find(&rows).Error
	return rows, keys[0].Total, err
}

func countOf(q *gorm.DB, limit int) (total int64, err error) {
	all := q.Session(&gorm.Session{NewDB: true}).Table("(?) AS counted", q.Select("1").Limit(limit))
	if err := all.Count(&total).Error; err != nil {
		return 0, fmt.Errorf("count: %w", err)
	}
	return total, nil
}
