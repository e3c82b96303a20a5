-- The page of the bank reads the payments of the last days. The index of their days knows a range of pages from a vacuum on, which comes after a fifth of
-- the table was written: until then each look reads that fifth.
-- +goose Up
ALTER INDEX bank_payments_day SET (autosummarize = on);
SELECT brin_summarize_new_values('bank_payments_day');

-- +goose Down
ALTER INDEX bank_payments_day RESET (autosummarize);
