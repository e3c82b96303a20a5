package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// Measure returns a function that returns the processor time that the main thread of the page has spent on tasks since
// the call of Measure. It is time of the thread, which the load of the machine does not lengthen.
func (tab *Tab) Measure() func() time.Duration {
	tab.t.Helper()
	tab.step("measure", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		return err
	}))
	before := tab.taskTime()
	return func() time.Duration { return tab.taskTime() - before }
}

func (tab *Tab) taskTime() time.Duration {
	tab.t.Helper()
	var spent time.Duration
	tab.step("metrics", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		result, err := cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range result.Metrics {
			if m.Name == "TaskDuration" {
				spent = time.Duration(m.Value * float64(time.Second))
			}
		}
		return nil
	}))
	return spent
}
