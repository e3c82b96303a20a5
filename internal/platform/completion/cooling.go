package completion

import "context"

// Cooling returns the number of configured models, and of those that cool down.
func (c *Chain) Cooling(ctx context.Context) (models, cooling int) {
	for _, cools := range c.cool.of(ctx, c.models) {
		if cools {
			cooling++
		}
	}
	return len(c.models), cooling
}
