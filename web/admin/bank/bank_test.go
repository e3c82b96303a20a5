package bank

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/alerts"
	"banca/internal/bank"
	"banca/internal/bank/banksim"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/models"
	"banca/web/kit"
)

func TestEveryOutcomeOfTheBankHasAText(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	var keys []string
	add := func(prefix string, names ...string) {
		for _, name := range names {
			keys = append(keys, prefix+name)
		}
	}
	add("state.event.", bank.Outcomes()...)
	add("check.", bank.Checks()...)
	add("reason.", bank.Reasons()...)
	add("alert.", alerts.Kinds()...)
	add("state.payment.", bank.PaymentStates()...)
	add("state.request.", models.RequestOpen, models.RequestPaid, models.RequestCancelled, models.RequestExpired)
	add("origin.", models.OriginManual, models.OriginTopUp, models.OriginTicket, models.OriginQuery)
	add("state.bank.", models.BankActive, models.BankRetired)
	add("label.", bank.FitsAmount, bank.FitsPhone, bank.FitsIDDocument, bank.FitsReference, bank.FitsBank, bank.FitsTime)
	add("bank.slot.", bank.SlotCurrent, bank.SlotNext)
	add("bank.unmatched.", bank.UnmatchedAccept, bank.UnmatchedReject)
	for _, scenario := range banksim.Scenarios() {
		add("scenario.", string(scenario))
	}
	for _, failure := range banksim.Failures() {
		add("exchange.", string(failure))
	}
	for _, state := range bank.Waiting() {
		add("bank.payment.wait.", state)
	}
	for _, refusal := range []string{
		apperr.ErrStore.Code, bank.ErrOperatorOnly.Code, bank.ErrEventNotFound.Code, alerts.ErrNotFound.Code, bank.ErrPaymentNotFound.Code,
		bank.ErrResolved.Code, idempotency.ErrKeyReused.Code, idempotency.ErrInvalidKey.Code, bank.ErrRequestNotFound.Code, bank.ErrRequestClosed.Code,
		bank.ErrRequestHeld.Code, bank.ErrInvalidRequest.Code, bank.ErrNoTarget.Code, bank.ErrStatementNotFound.Code, bank.ErrStatementKnown.Code,
		bank.ErrStatement.Code, bank.ErrBankNotFound.Code, bank.ErrBankExists.Code, bank.ErrBankInUse.Code, bank.ErrCodeNotFound.Code,
		bank.ErrCodeExists.Code, bank.ErrCodeFixed.Code, bank.ErrInvalidEntry.Code, org.ErrEntityNotFound.Code, org.ErrCannotSell.Code, banksim.ErrRun.Code,
	} {
		add("code.", refusal)
	}
	for _, key := range keys {
		assert.NotEmpty(t, words[kit.Spanish][key], key)
	}
}
