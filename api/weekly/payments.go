package weekly

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/weekly"
)

func (o *operations) registerPayments() {
	tags, write := []string{tag}, kit.Can(auth.SettlementsWrite).Sensitive()
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "pay-weekly-settlement", Method: http.MethodPost, Path: "/weekly-settlements/{id}/payments",
		Tags: tags, Summary: "Register a payment of a weekly settlement",
		DefaultStatus: http.StatusOK,
		Description: "With `movement_id` a movement that was made already, one of `could_pay`. Without it a movement is made on the entity's wallet: a deposit of what it owes, or a withdrawal of what it is owed, " +
			"by the rules of POST /wallets/{id}/deposits; all that is left without an `amount`. Users of an entity above register payments.",
	}, write, o.pay,
		ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrMovementInvalid,
		ledger.ErrReferenceUsed, ledger.ErrWalletInactive, money.ErrAmount, weekly.ErrCarried, weekly.ErrLinked,
		weekly.ErrNoPayment, weekly.ErrNotAbove, weekly.ErrNothingDue, weekly.ErrOutstanding,
		weekly.ErrUnconfirmed, weekly.ErrUndrafted, weekly.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "unlink-weekly-payment", Method: http.MethodDelete,
		Path: "/weekly-settlements/{id}/payments/{movementId}", Tags: tags,
		Summary:     "Take back the registration of a payment",
		Description: "The movement stays; a wrong one is reversed on its wallet.",
	}, write, o.unlink,
		weekly.ErrNotAbove, weekly.ErrNotLinked, weekly.ErrNotFound)
}

type settlementPayInput struct {
	kit.OnceByID

	Body struct {
		MovementID uuid.UUID        `json:"movement_id,omitempty" doc:"transaction of a movement; without the other fields"`
		Amount     kit.DecimalInput `json:"amount,omitempty" doc:"all that is left when left out"`
		Reference  string           `json:"reference,omitempty" maxLength:"64" doc:"of the new movement, such as the number of a receipt; once for a wallet"`
		Note       string           `json:"note,omitempty" maxLength:"200"`
	}
}

// errBoth refuses a request that names a movement and describes another one.
func errBoth() error {
	return ledger.ErrMovementInvalid.WithDetails(apperr.Detail{Location: "movement_id", Message: "give movement_id, or the fields of a new movement"})
}

func (o *operations) pay(
	ctx context.Context, by caller.Caller, in *settlementPayInput,
) (*kit.Once[WeeklySettlement], error) {
	made := in.Body.MovementID != uuid.Nil
	if made && (in.Body.Amount != "" || in.Body.Reference != "" || in.Body.Note != "") {
		return nil, errBoth()
	}
	var s *weekly.Settlement
	var again bool
	var err error
	if made {
		s, again, err = o.weekly.Link(
			ctx, by, &weekly.LinkRequest{ID: in.ID, MovementID: in.Body.MovementID, IdempotencyKey: in.IdempotencyKey},
		)
	} else {
		s, again, err = o.weekly.Pay(ctx, by, &weekly.PayRequest{
			ID: in.ID, Amount: string(in.Body.Amount), Reference: in.Body.Reference, Note: in.Body.Note,
			IdempotencyKey: in.IdempotencyKey,
		})
	}
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(settlementBody(*s), again), nil
}

type settlementUnlinkInput struct {
	kit.OnceByID

	MovementID uuid.UUID `path:"movementId"`
}

func (o *operations) unlink(
	ctx context.Context, by caller.Caller, in *settlementUnlinkInput,
) (*kit.Data[kit.Deleted], error) {
	_, _, err := o.weekly.Unlink(
		ctx, by, &weekly.LinkRequest{ID: in.ID, MovementID: in.MovementID, IdempotencyKey: in.IdempotencyKey},
	)
	return kit.DeletedOf(in.MovementID.String(), err)
}
