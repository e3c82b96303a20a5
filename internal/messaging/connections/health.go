package connections

import (
	"context"
	"fmt"

	"banca/internal/messaging/channel"
	"banca/storage"
)

// Health counts all connections, and the connections that are not open.
func (*Service) Health(ctx context.Context, q storage.RowQuerier) (all, closed int64, err error) {
	err = q.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> $1) FROM messaging_connections WHERE deleted_at IS NULL`, string(channel.Open)).Scan(&all, &closed)
	if err != nil {
		return 0, 0, fmt.Errorf("count connections: %w", err)
	}
	return all, closed, nil
}
