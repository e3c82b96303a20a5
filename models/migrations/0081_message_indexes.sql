-- Fewer indexes of messages. Each update on a message's way from the queue to its recipient writes an entry of every index, as each changes its status.
-- +goose NO TRANSACTION
-- +goose Up
-- One receipt a ticket, and the messages of a ticket: one index instead of two. The first drop removes what an interrupted migration left.
DROP INDEX CONCURRENTLY IF EXISTS message_logs_tickets;
CREATE UNIQUE INDEX CONCURRENTLY message_logs_tickets
    ON message_logs (ticket_id, (CASE kind WHEN 'receipt' THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE id END)) WHERE ticket_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS message_logs_receipt;
DROP INDEX CONCURRENTLY IF EXISTS message_logs_ticket;

-- Queued messages and messages being sent are few and have message_logs_unfinished.
DROP INDEX CONCURRENTLY IF EXISTS message_logs_finished;
CREATE INDEX CONCURRENTLY message_logs_finished ON message_logs (status, id) WHERE status NOT IN ('queued', 'sending');
DROP INDEX CONCURRENTLY IF EXISTS message_logs_status;

-- Receipts are most of the messages: a page of them is found in the order of their ids.
DROP INDEX CONCURRENTLY IF EXISTS message_logs_notices;
CREATE INDEX CONCURRENTLY message_logs_notices ON message_logs (kind, id) WHERE kind <> 'receipt';
DROP INDEX CONCURRENTLY IF EXISTS message_logs_kind;

-- Room for the versions of a row, so that its updates change one page of the table.
ALTER TABLE message_logs SET (fillfactor = 70);

-- +goose Down
ALTER TABLE message_logs RESET (fillfactor);
CREATE INDEX message_logs_kind ON message_logs (kind, id);
DROP INDEX message_logs_notices;
CREATE INDEX message_logs_status ON message_logs (status, id);
DROP INDEX message_logs_finished;
CREATE INDEX message_logs_ticket ON message_logs (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE UNIQUE INDEX message_logs_receipt ON message_logs (ticket_id) WHERE kind = 'receipt' AND ticket_id IS NOT NULL;
DROP INDEX message_logs_tickets;
