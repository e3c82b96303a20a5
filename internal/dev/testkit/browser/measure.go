package browser

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/profiler"
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

// Work returns the processor time that a fixed piece of work takes the page: a table of 40,000 cells is built and laid out. A bound of what Measure
// returns is a multiple of it, because the same processor does several times less when other machines use its core.
func (tab *Tab) Work() time.Duration {
	tab.t.Helper()
	spent := tab.Measure()
	Value[int](tab, `(() => {
		const root = document.createElement('div');
		document.body.append(root);
		let height = 0;
		for (let round = 0; round < 10; round++) {
			root.innerHTML = '<table>' + ('<tr>' + '<td class="a">work</td>'.repeat(20) + '</tr>').repeat(200) + '</table>';
			height += root.offsetHeight;
		}
		root.remove();
		return height;
	})()`)
	return spent()
}

func (tab *Tab) taskTime() time.Duration {
	tab.t.Helper()
	return time.Duration(tab.metrics()["TaskDuration"] * float64(time.Second))
}

// Footprint is what a page keeps in memory once its garbage is collected.
type Footprint struct {
	Heap             int64 // bytes of the objects of its scripts
	Nodes, Listeners int
}

// Footprint collects the garbage of the page, and returns what is left. Measure was called before.
func (tab *Tab) Footprint() Footprint {
	tab.t.Helper()
	tab.step("collect garbage", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{})
		return err
	}))
	found := tab.metrics()
	return Footprint{Heap: int64(found["JSHeapUsedSize"]), Nodes: int(found["Nodes"]), Listeners: int(found["JSEventListeners"])}
}

// metrics returns what the page measures of itself.
func (tab *Tab) metrics() map[string]float64 {
	tab.t.Helper()
	found := map[string]float64{}
	tab.step("metrics", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		result, err := cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range result.Metrics {
			found[m.Name] = m.Value
		}
		return nil
	}))
	return found
}

// Profile records where the scripts of the page spend processor time. The function that it returns writes the profile to a file, which the developer
// tools of a browser open (.cpuprofile).
func (tab *Tab) Profile(file string) (stop func()) {
	tab.t.Helper()
	tab.step("profile", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, profiler.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, profiler.Start, cdp.Empty{})
		return err
	}))
	return func() {
		tab.t.Helper()
		tab.step("write the profile", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			result, err := cdp.Call(ctx, t, profiler.Stop, cdp.Empty{})
			if err != nil {
				return err
			}
			raw, err := json.Marshal(result.Profile)
			if err != nil {
				return err
			}
			return os.WriteFile(file, raw, 0o600)
		}))
	}
}
