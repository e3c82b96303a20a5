package rollup

import (
	"context"
	"slices"
	"strings"

	"banca/internal/platform/verification"
	"banca/models"
)

// counted selects transactions that the totals contain. %zone% is the time zone of business days.
const (
	counted  = `b.xid < coalesce((SELECT position FROM feeds WHERE name = '` + feedName + `'), 0)`
	localDay = `(b.created_at AT TIME ZONE '%zone%')::date`
	since    = `(SELECT archived_until() + 31)` // by then everything is cancelled that was sold in an archived month; refunds come with the suspension of a draw, at any time
	points   = `(SELECT d.* FROM daily_totals d JOIN entities e ON e.id = d.entity_id AND e.entity_type = '` + models.EntityTicketPoint + `')`
	recent   = ` WHERE day >= ` + since
)

// archivedRefunds sums the refunds of archived tickets, whose lines cannot be asked.
const archivedRefunds = `SELECT b.entity_id, ` + localDay + ` AS day, b.currency_id, d.game_id, NULL::numeric AS sold, NULL::numeric AS voided, sum(r.amount) AS refunded
	FROM transactions b JOIN draw_refunds r ON r.transaction_id = b.reverses_id JOIN draws d ON d.id = r.draw_id
	WHERE b.type = 'sale' AND b.ticket_id < (SELECT archived_before()) AND NOT EXISTS (SELECT FROM tickets t WHERE t.id = b.ticket_id)
		AND ` + localDay + ` >= ` + since + ` AND ` + counted + ` GROUP BY 1, 2, 3, 4`

// verifications compare the totals with what they are counted from, each in another way than they were counted.
func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "the totals of ticket points equal their lines", Query: `SELECT count(*) FROM (
			SELECT entity_id, day, currency_id, game_id, sum(sold) AS sold, sum(voided) AS voided, sum(refunded) AS refunded FROM (
			SELECT t.entity_id, ` + localDay + ` AS day, t.currency_id, l.game_id,
				sum(l.amount) FILTER (WHERE b.id = b.ticket_id) AS sold,
				sum(l.amount) FILTER (WHERE b.reverses_id IS NOT NULL AND r.draw_id IS NULL) AS voided,
				sum(l.amount) FILTER (WHERE r.draw_id = l.draw_id) AS refunded
			FROM transactions b JOIN tickets t ON t.id = b.ticket_id JOIN ticket_lines l ON l.ticket_id = t.id LEFT JOIN draw_refunds r ON r.transaction_id = b.reverses_id
			WHERE b.type = 'sale' AND ` + localDay + ` >= ` + since + ` AND ` + counted + ` GROUP BY 1, 2, 3, 4
			UNION ALL ` + archivedRefunds + `) lines GROUP BY 1, 2, 3, 4
		) direct FULL JOIN (
			SELECT entity_id, day, currency_id, game_id, sum(sold) AS sold, sum(voided) AS voided, sum(refunded) AS refunded FROM ` + points + ` p` + recent + ` GROUP BY 1, 2, 3, 4
		) kept USING (entity_id, day, currency_id, game_id)
		WHERE coalesce(direct.sold, 0) <> coalesce(kept.sold, 0) OR coalesce(direct.voided, 0) <> coalesce(kept.voided, 0) OR coalesce(direct.refunded, 0) <> coalesce(kept.refunded, 0)`},
		{Name: "the net sales of a day equal what was posted for sales", Query: `SELECT count(*) FROM (
			SELECT b.entity_id, ` + localDay + ` AS day, b.currency_id, sum(b.amount) AS net FROM transactions b WHERE b.type = 'sale' AND ` + localDay + ` >= ` + since + ` AND ` + counted + ` GROUP BY 1, 2, 3
		) direct FULL JOIN (
			SELECT entity_id, day, currency_id, sum(sold - voided - refunded) AS net FROM ` + points + ` p` + recent + ` GROUP BY 1, 2, 3
		) kept USING (entity_id, day, currency_id) WHERE coalesce(direct.net, 0) <> coalesce(kept.net, 0)`},
		{Name: "the commissions of a day equal what was posted on the wallets", Query: `SELECT count(*) FROM (
			SELECT w.entity_id, ` + localDay + ` AS day, b.currency_id, sum(p.amount) AS commission
			FROM transactions b JOIN wallet_postings p ON p.transaction_id = b.id JOIN wallets w ON w.id = p.wallet_id JOIN entities e ON e.id = w.entity_id
			WHERE b.type = 'commission' AND b.ticket_id IS NOT NULL AND e.entity_type <> 'OPERATOR' AND ` + localDay + ` >= ` + since + ` AND ` + counted + ` GROUP BY 1, 2, 3
		) direct FULL JOIN (
			SELECT d.entity_id, d.day, d.currency_id, sum(CASE e.entity_type WHEN 'SUPER_AGENCY' THEN commission_super_agency WHEN 'AGENCY' THEN commission_agency
				WHEN 'GROUP' THEN commission_group WHEN 'TICKET_POINT' THEN commission_ticket_point END) AS commission
			FROM daily_totals d JOIN entities e ON e.id = d.entity_id AND e.entity_type <> 'OPERATOR'` + recent + ` GROUP BY 1, 2, 3
		) kept USING (entity_id, day, currency_id) WHERE coalesce(direct.commission, 0) <> coalesce(kept.commission, 0)`},
		{Name: "the prizes paid in a day equal what was posted for prizes", Query: `SELECT count(*) FROM (
			SELECT b.entity_id, ` + localDay + ` AS day, b.currency_id, sum(b.amount) AS paid FROM transactions b WHERE b.type = 'prize' AND ` + localDay + ` >= ` + since + ` AND ` + counted + ` GROUP BY 1, 2, 3
		) direct FULL JOIN (
			SELECT entity_id, day, currency_id, sum(paid) AS paid FROM ` + points + ` p` + recent + ` GROUP BY 1, 2, 3
		) kept USING (entity_id, day, currency_id) WHERE coalesce(direct.paid, 0) <> coalesce(kept.paid, 0)`},
		{Name: "the prizes won of a ticket point equal its winning lines", Query: `SELECT count(*) FROM (
			SELECT entity_id, currency_id, sum(won) AS won FROM (
				SELECT t.entity_id, t.currency_id, sum(w.prize) FILTER (WHERE w.annulled_xid IS NULL OR w.annulled_xid >= f.position) AS won
				FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id, feeds f WHERE f.name = '` + feedName + `' AND w.xid < f.position GROUP BY 1, 2
				UNION ALL SELECT a.entity_id, a.currency_id, a.won FROM archived_prizes a JOIN month_archives m ON m.label = a.label AND m.state = 'archived') w GROUP BY 1, 2
		) direct FULL JOIN (
			SELECT entity_id, currency_id, sum(won) AS won FROM ` + points + ` p GROUP BY 1, 2
		) kept USING (entity_id, currency_id) WHERE coalesce(direct.won, 0) <> coalesce(kept.won, 0)`},
		{Name: "the totals of draws equal those of ticket points", Query: `SELECT count(*) FROM (
			SELECT p.entity_id, x.day, x.currency_id, x.game_id, ` + summed + `
			FROM draw_totals x JOIN (SELECT id, (regexp_match(path, '([^/]+)/$'))[1]::uuid AS entity_id FROM entity_paths) p ON p.id = x.path_id GROUP BY 1, 2, 3, 4
		) direct FULL JOIN (
			SELECT entity_id, day, currency_id, game_id, ` + summed + ` FROM ` + points + ` p WHERE game_id <> '00000000-0000-0000-0000-000000000000' GROUP BY 1, 2, 3, 4
		) kept USING (entity_id, day, currency_id, game_id) WHERE direct.* IS DISTINCT FROM kept.*`},
		{Name: "the totals below an entity sum to its totals", Query: `SELECT count(*) FROM (
			SELECT d.entity_id, d.day, d.currency_id, d.game_id, sum(tickets) AS tickets, sum(voided_tickets) AS voided_tickets, ` + summed + `
			FROM daily_totals d JOIN entities e ON e.id = d.entity_id AND e.entity_type <> 'TICKET_POINT' GROUP BY 1, 2, 3, 4
		) own FULL JOIN (
			SELECT d.parent_id AS entity_id, d.day, d.currency_id, d.game_id, sum(tickets) AS tickets, sum(voided_tickets) AS voided_tickets, ` + summed + `
			FROM daily_totals d JOIN entities e ON e.id = d.parent_id GROUP BY 1, 2, 3, 4
		) below USING (entity_id, day, currency_id, game_id) WHERE own.* IS DISTINCT FROM below.*`},
	}
}

// summed are the sums of the figures that are compared between the levels.
const summed = `sum(lines) AS lines, sum(sold) AS sold, sum(voided) AS voided, sum(refunded) AS refunded, sum(commission_super_agency) AS super_agency,
	sum(commission_agency) AS agency, sum(commission_group) AS in_group, sum(commission_ticket_point) AS point, sum(won) AS won, sum(paid) AS paid`

// Verify proves in one snapshot that the totals equal the tickets, payments and postings that they contain.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	list := slices.Concat(verifications(), hourVerifications(), meansVerifications())
	for i := range list {
		list[i].Query = strings.ReplaceAll(list[i].Query, "%zone%", s.zone.String())
	}
	return verification.Run(ctx, s.pg, list)
}
