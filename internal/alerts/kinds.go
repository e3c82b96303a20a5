package alerts

// Kinds of alert.
const (
	AddressBlocked      = "address_blocked"
	TokenWrong          = "token_wrong"
	TLSMissing          = "tls_missing"
	AmountConflict      = "amount_conflict"
	RejectedAfterCredit = "rejected_after_credit"
	TasksLost           = "tasks_lost"       // the queue lost tasks; the source is the kind of task
	RateNotFetched      = "rate_not_fetched" // the source of exchange rates failed or was refused; the alert's is the pair
	ModelRefused        = "model_refused"    // an AI model refuses its key or address; the source is its name
)

// Kinds returns all kinds of alert.
func Kinds() []string {
	return []string{
		AddressBlocked, TokenWrong, TLSMissing, AmountConflict, RejectedAfterCredit, TasksLost, RateNotFetched, ModelRefused,
	}
}
