package money

import (
	"math/bits"
	"strconv"
	"strings"
)

// BasisPoints is a percentage in hundredths of a percent: 1,250 is 12.50 %.
type BasisPoints int32

// FullRate is 100 %.
const FullRate BasisPoints = 10_000

// Payout is how many times the stake a win pays, in hundredths: 6,000 is 60 times.
type Payout int64

// Of returns the prize for a stake, rounded down to a whole minor unit.
func (p Payout) Of(stake Amount) Amount { return Amount(mulDiv(int64(stake), int64(p), 100)) }

// String writes the payout without needless zeros: "60", "2.5".
func (p Payout) String() string {
	text := strconv.FormatInt(int64(p)/100, 10)
	if frac := int64(p) % 100; frac != 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(100+frac, 10)[1:], "0")
	}
	return text
}

// mulDiv returns a*b/c rounded down for non-negative a and b, with a 128-bit product.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// Share returns rate percent of a non-negative amount, rounded down.
func (r BasisPoints) Share(a Amount) Amount {
	return Amount(mulDiv(int64(a), int64(r), int64(FullRate)))
}

// SplitByMargins divides the commission of one sale among a chain of entities. inclusive[i] is the rate
// granted to the i-th entity including everything below it, from the highest to the seller, so it
// never rises. The i-th gets its margin inclusive[i]-inclusive[i+1]. Largest-remainder rounding: the
// parts sum exactly to inclusive[0] of the amount (rounded down). Ties go to the lower entity.
func SplitByMargins(amount Amount, inclusive []BasisPoints) []Amount {
	parts := make([]Amount, len(inclusive))
	if len(inclusive) == 0 {
		return parts
	}
	remainders := make([]int64, len(inclusive))
	left := inclusive[0].Share(amount)
	for i := range inclusive {
		margin := inclusive[i]
		if i+1 < len(inclusive) {
			margin -= inclusive[i+1]
		}
		parts[i] = margin.Share(amount)
		hi, lo := bits.Mul64(uint64(amount), uint64(margin))
		_, rem := bits.Div64(hi, lo, uint64(FullRate))
		remainders[i] = int64(rem)
		left -= parts[i]
	}
	for ; left > 0; left-- {
		best := len(parts) - 1
		for i := best - 1; i >= 0; i-- {
			if remainders[i] > remainders[best] {
				best = i
			}
		}
		parts[best]++
		remainders[best] = -1
	}
	return parts
}
