// Package partitions divides the tables of sales of a new database as they are after some months.
package partitions

import (
	"context"
	"fmt"

	"banca/storage"
)

// Divide divides the tables of sales, which have no rows of past months, by each of the past months, as they would be after so long.
func Divide(ctx context.Context, pg *storage.Postgres, months int) error {
	if _, err := pg.Pool.Exec(ctx, Statement(months)); err != nil {
		return fmt.Errorf("divide the tables of sales: %w", err)
	}
	return nil
}

// Statement is what Divide executes.
func Statement(months int) string { return fmt.Sprintf(divide, months) }

const divide = `DO $$
DECLARE parent text; first text; month timestamp; part text;
BEGIN
	FOR parent IN SELECT name FROM monthly_tables() LOOP
		SELECT c.relname INTO STRICT first FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = parent::regclass AND c.relname LIKE '%%\_before\_%%';
		EXECUTE format('ALTER TABLE %%I DETACH PARTITION %%I', parent, first);
		EXECUTE format('DROP TABLE %%I', first);
		FOR month IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '%[1]d months', to_date(right(first, 6), 'YYYYMM') - interval '1 month', '1 month') LOOP
			part := parent || '_' || to_char(month, 'YYYYMM');
			EXECUTE format('CREATE TABLE %%I (LIKE %%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', part, parent);
			IF parent = 'tickets' THEN
				EXECUTE format('CREATE UNIQUE INDEX %%I ON %%I (serial_code)', part || '_serial_code', part);
			END IF;
			EXECUTE format('ALTER TABLE %%I ATTACH PARTITION %%I FOR VALUES FROM (%%L) TO (%%L)', parent, part, first_id_at(month), first_id_at(month + interval '1 month'));
			PERFORM monthly_guard(parent, part);
		END LOOP;
	END LOOP;
END $$`
