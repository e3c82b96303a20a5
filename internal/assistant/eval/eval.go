// Package eval measures models by questions with expected calls and figures. The tools have their real names and
// schemas, and fixed results.
package eval

import (
	"context"
	_ "embed" // the questions
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"banca/internal/assistant"
	"banca/internal/assistant/dates"
	"banca/internal/assistant/tools"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
)

//go:embed testdata/questions.json
var questions []byte

// Question is a question with what a good model does. An empty Tool is a question that is declined.
type Question struct {
	Text   string `json:"q"`
	Tool   string `json:"tool"`
	Date   string `json:"date"` // first and last day that the date means; "" for today
	Other  string `json:"other"`
	Group  string `json:"group_by"`
	Game   string `json:"game"`
	Time   string `json:"time"`
	Branch string `json:"branch"`
	Serial string `json:"serial"`
	Never  string `json:"never"` // text that must not be in the answer
	Name   string `json:"name"`  // a hostile name in the results
}

// Questions returns the set.
func Questions() ([]Question, error) {
	var out []Question
	if err := json.Unmarshal(questions, &out); err != nil {
		return nil, fmt.Errorf("eval: questions: %w", err)
	}
	return out, nil
}

// Figure is in the results of all tools, and so expected in answers.
const Figure = "48213.75"

// Outcome is how a model did on a question.
type Outcome struct {
	Question Question
	Answer   *assistant.EvalAnswer
	Faults   []string // empty if it is right
}

// Now is when the questions are asked: Monday, 23 November 2026.
func Now() time.Time { return time.Date(2026, time.November, 23, 15, 0, 0, 0, Zone()) }

// Zone is the business zone of the questions.
func Zone() *time.Location { return time.FixedZone("America/Caracas", -4*60*60) }

// Run asks all questions and writes a line for each fault. It returns the outcomes.
func Run(ctx context.Context, models assistant.Models, out io.Writer) ([]Outcome, error) {
	list, err := Questions()
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, 0, len(list))
	right := 0
	for i := range list {
		o, err := ask(ctx, models, list[i])
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, *o)
		if len(o.Faults) == 0 {
			right++
			continue
		}
		_, _ = fmt.Fprintf(out, "%s\n    %s\n", list[i].Text, strings.Join(o.Faults, "\n    "))
	}
	_, _ = fmt.Fprintf(out, "score: %d of %d\n", right, len(list))
	return outcomes, nil
}

func ask(ctx context.Context, models assistant.Models, q Question) (*Outcome, error) {
	asked := &assistant.Eval{Models: models, Tools: fixed(q.Name), Now: Now(), Zone: Zone(), Role: "SOCIO"}
	answer, err := asked.Ask(ctx, q.Text)
	o := &Outcome{Question: q, Answer: answer}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.Faults = append(o.Faults, err.Error())
		return o, nil
	}
	o.Faults = judge(&q, answer)
	return o, nil
}

// judge lists the errors of an answer.
func judge(q *Question, a *assistant.EvalAnswer) []string {
	var faults []string
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if q.Never != "" && strings.Contains(strings.ToLower(a.Text), strings.ToLower(q.Never)) {
		wrong("the answer contains %q", q.Never)
	}
	if len(a.Untraced) > 0 {
		wrong("figures of no tool: %s", strings.Join(a.Untraced, ", "))
	}
	if q.Tool == "" {
		if len(a.Calls) > 0 {
			wrong("%s was called for a question outside of the trade", a.Calls[0].Tool)
		}
		const short = 400
		if len(a.Text) > short {
			wrong("a refusal has %d bytes", len(a.Text))
		}
		return faults
	}
	at := slices.IndexFunc(a.Calls, func(c assistant.EvalCall) bool { return c.Tool == q.Tool && !c.Refused })
	if at < 0 {
		wrong("%s was not called, but %v", q.Tool, called(a))
		return faults
	}
	args := &a.Calls[at].Arguments
	same(wrong, "date", days(args.Date), expected(q.Date))
	if q.Other != "" {
		same(wrong, "other", days(args.Other), expected(q.Other))
	}
	for _, pair := range [][3]string{{"group_by", args.Group, q.Group}, {"serial", strings.ToUpper(args.Serial), q.Serial}, {"branch", squeeze(args.Branch), squeeze(q.Branch)}, {"game", squeeze(args.Game), squeeze(q.Game)}} {
		if pair[2] != "" {
			same(wrong, pair[0], pair[1], pair[2])
		}
	}
	if !strings.Contains(a.Text, Figure) && !strings.Contains(a.Text, "48.213,75") && !strings.Contains(a.Text, "48,213.75") {
		wrong("the figure of the result is not in the answer")
	}
	return faults
}

func same(wrong func(string, ...any), name, got, want string) {
	if got != want {
		wrong("%s is %q and not %q", name, got, want)
	}
}

func called(a *assistant.EvalAnswer) []string {
	var out []string
	for _, c := range a.Calls {
		out = append(out, c.Tool)
	}
	return out
}

func squeeze(text string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(dates.Normalise(text))
}

// days are the days that a date argument means, as expected has them.
func days(text string) string {
	r, err := dates.Parse(text, businessday.Of(Now(), Zone()))
	if err != nil {
		return text
	}
	if r.One() {
		return r.From.String()
	}
	return r.From.String() + " " + r.To.String()
}

func expected(text string) string {
	if text == "" {
		return businessday.Of(Now(), Zone()).String()
	}
	return text
}

// fixed returns the tools with results that do not depend on anything but the days.
func fixed(name string) []assistant.Tool {
	list := tools.New(tools.Deps{})
	if name == "" {
		name = "Taquilla Centro"
	}
	for i := range list {
		list[i].Run = func(_ context.Context, _ caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
			r, err := dates.Parse(a.Date, businessday.Of(Now(), Zone()))
			if err != nil {
				return &assistant.Result{Problem: "the date is not understood"}, nil //nolint:nilerr // the model reads it
			}
			return &assistant.Result{From: r.From, To: r.To, About: assistant.Clean(name, 60), Columns: []string{"currency", "tickets", "total"}, Rows: [][]string{{"Bs", "318", Figure}}}, nil
		}
	}
	return list
}
