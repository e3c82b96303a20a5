package telemetry

// What the instruments' labels hold: routes, kinds, names of the code or of the configuration, and codes of errors; never
// ids, addresses, names or texts of people. docs/operations.md describes each.

// Stages of operations: a histogram of seconds by one label, and the spans of traces.
var (
	Requests      = newStages("request", "banca_http_request_seconds", "Time to answer a request.", "route", localSeconds)
	Sales         = newStages("sale", "banca_sale_stage_seconds", "Stages of a sale.", "stage", localSeconds)
	BankCalls     = newStages("bank", "banca_bank_call_seconds", "Time to answer a call of the bank.", "phase", localSeconds)
	Risk          = newStages("risk", "banca_risk_seconds", "Round trips of scripts to Redis, and rebuilds of the counts of draws.", "step", localSeconds)
	GroupWrites   = newStages("write", "banca_group_write_seconds", "Transactions of items that are written together.", "group", localSeconds)
	OutboxBatches = newStages("outbox", "banca_outbox_batch_seconds", "Batches of tasks that a relay moves to the queue.", "step", localSeconds)
	Tasks         = newStages("task", "banca_task_seconds", "Runs of tasks.", "kind", remoteSeconds)
	MessageCalls  = newStages("message", "banca_message_call_seconds", "Calls of providers of messages.", "driver", remoteSeconds)
	ModelCalls    = newStages("model", "banca_model_call_seconds", "Calls of AI models.", "model", remoteSeconds)
	LotteryCalls  = newStages("lottery", "banca_lottery_call_seconds", "Calls of the sources of results.", "source", remoteSeconds)
	Settlements   = newStages("settlement", "banca_settlement_seconds", "Settlements of draws.", "step", remoteSeconds)
)

// Counters.
var (
	RequestsTotal = newCounter("banca_http_requests_total", "Answered requests.", "method", "route", "status")
	Problems      = newCounter("banca_problems_total", "Answers that are problems, by code.", "code")
	SalesTotal    = newCounter("banca_sales_total", "Requests to sell.", "outcome")
	BankAnswers   = newCounter("banca_bank_answers_total", "Answers to the bank, by what decided them.", "phase", "outcome")
	OutboxMoved   = newCounter("banca_outbox_moved_total", "Tasks that relays took.", "outcome")
	TaskRuns      = newCounter("banca_task_runs_total", "Runs of tasks.", "kind", "outcome")
	MessagesTotal = newCounter("banca_message_attempts_total", "Attempts to send a message.", "driver", "outcome")
	ModelAnswers  = newCounter("banca_model_calls_total", "Calls of AI models.", "model", "outcome")
	ModelTokens   = newCounter("banca_model_tokens_total", "Tokens of AI models.", "model", "direction")
)

// Sizes.
var (
	GroupItems = newSizes("banca_group_items", "Items of a transaction that were written together.", "group")
	RiskItems  = newSizes("banca_risk_round_trip_requests", "Requests that share a round trip to Redis.", "step")
)
