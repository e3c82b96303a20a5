package storage

import (
	"cmp"
	"context"
	"fmt"

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
}

// pageQuerier is a pool or a transaction.
type pageQuerier interface {
	Querier
	RowQuerier
}

// List returns the rows of a page of l, limit from offset on, and the number of rows on all pages.
func List[T any](ctx context.Context, q pageQuerier, l *Listing, scan pgx.RowToFunc[T], limit, offset int) (rows []T, total int64, err error) {
	where := l.Where.SQL()
	if err := q.QueryRow(ctx, `SELECT count(*) `+cmp.Or(l.CountFrom, l.From)+where, l.Where.Args()...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	page := ` ORDER BY ` + l.Order + ` LIMIT ` + l.Where.Arg(limit) + ` OFFSET ` + l.Where.Arg(offset)
	found, err := q.Query(ctx, `SELECT `+l.Columns+` `+l.From+where+page, l.Where.Args()...)
	if err != nil {
		return nil, 0, err
	}
	rows, err = pgx.CollectRows(found, scan)
	return rows, total, err
}

// Find returns the rows of a page of a query, as List does. q names the table and the conditions.
func Find[T any](q *gorm.DB, order string, limit, offset int) (rows []T, total int64, err error) {
	q = q.Session(&gorm.Session{}) // both statements start from q
	if err := q.Count(&total).Error; err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	err = q.Order(order).Limit(limit).Offset(offset).Find(&rows).Error
	return rows, total, err
}
