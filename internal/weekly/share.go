package weekly

import (
	"banca/internal/org"
	"banca/internal/platform/money"
)

// share returns the share of an entity in the result of a week, and the loss that is carried to the next one. carried
// is the loss brought in. Shares are rounded towards zero.
//
// CARRY: the rate applies to the result less carried losses; a remaining loss is carried on. SHARED: the rate applies
// to the result, also to a loss. NONE: the rate applies to a profit. SHARED and NONE keep carried losses for the next
// week of CARRY.
func share(rate money.BasisPoints, mode string, result, carried money.Amount) (amount, carryOut money.Amount) {
	switch mode {
	case org.ParticipationShared:
		if result < 0 {
			return -rate.Share(-result), carried
		}
		return rate.Share(result), carried
	case org.ParticipationNone:
		return rate.Share(max(result, 0)), carried
	default:
		left := result + carried
		return rate.Share(max(left, 0)), min(left, 0)
	}
}
