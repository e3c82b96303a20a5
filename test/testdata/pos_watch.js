// Measures the point of sale from within: window.watched has the milliseconds from the key that sells (F12, or P for what fits of a refused ticket) to
// the frame that shows the outcome, and the long tasks, each with the key before it and whether it overlapped the typing of a ticket; and the parts of
// long frames: scripts, and style with layout.
{
  const watched = window.watched = {sales: [], longTasks: [], frames: []};
  let typing = 0, selling = 0;
  const typed = [], keys = [];
  const keyBefore = instant => (keys.findLast(([at]) => at <= instant) || [0, ""])[1];
  addEventListener("keydown", event => {
    if (keys.push([event.timeStamp, event.key]) > 100) keys.shift();
    if (event.key === "F12") {
      if (typing) typed.push([typing, event.timeStamp]);
      typing = 0;
      selling = event.timeStamp;
    } else if (event.key.toLowerCase() === "p" && document.querySelector("#lines .no")) selling = event.timeStamp;
    else if (!typing) typing = event.timeStamp;
  }, true);
  const whileTyping = (from, to) => typed.some(([first, last]) => from < last && to > first) || Boolean(typing) && to > typing;
  new PerformanceObserver(list => {
    for (const task of list.getEntries()) {
      const to = task.startTime + task.duration;
      watched.longTasks.push({at: Math.round(task.startTime), took: Math.round(task.duration), typing: whileTyping(task.startTime, to), key: keyBefore(to)});
    }
  }).observe({type: "longtask", buffered: true});
  new PerformanceObserver(list => {
    for (const frame of list.getEntries()) {
      const scripts = frame.scripts.map(script => `${script.invoker} ${Math.round(script.duration)} (layout ${Math.round(script.forcedStyleAndLayoutDuration)})`);
      const end = frame.startTime + frame.duration;
      watched.frames.push(`${Math.round(frame.startTime)}: ${Math.round(frame.duration)} ms after ${keyBefore(end)}, layout ${Math.round(frame.styleAndLayoutStart && end - frame.styleAndLayoutStart)}; ${scripts.join(", ")}`);
    }
  }).observe({type: "long-animation-frame", buffered: true});
  addEventListener("DOMContentLoaded", () => {
    const outcome = document.getElementById("outcome");
    if (outcome) new MutationObserver(() => {
      if (!selling || outcome.className !== "outcome ok") return;
      const from = selling;
      selling = 0;
      requestAnimationFrame(() => watched.sales.push(performance.now() - from));
    }).observe(outcome, {attributes: true, childList: true});
  });
}
