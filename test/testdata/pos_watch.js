// Measures the point of sale from within: window.watched has the milliseconds from the key that sells (F12, or P for what fits of a refused ticket) to
// the frame that shows the outcome, and the long tasks, each with whether it overlapped the typing of a ticket.
{
  const watched = window.watched = {sales: [], longTasks: []};
  let typing = 0, selling = 0;
  const typed = [];
  addEventListener("keydown", event => {
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
      watched.longTasks.push({at: Math.round(task.startTime), took: Math.round(task.duration), typing: whileTyping(task.startTime, to)});
    }
  }).observe({type: "longtask", buffered: true});
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
