package kit

import "strconv"

// Hue is the colour of what a bar or line of a chart means, the same in all charts. It is a class of its mark and of its key.
type Hue string

// The colours of charts.
const (
	HueSales  Hue = "of-sales"
	HuePrizes Hue = "of-prizes"
	HueFees   Hue = "of-fees" // commissions and participations
	HueResult Hue = "of-result"
	HuePast   Hue = "of-past" // amounts of earlier days, and amounts outside the entity
)

// shades is how many colours there are for commissions.
const shades = 4

// Shade returns the colour of commission i of several beside each other. Neighbours differ in hue and in lightness.
func Shade(i int) Hue { return HueFees + Hue("-"+strconv.Itoa(i%shades)) }
