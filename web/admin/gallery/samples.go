package gallery

import (
	"strconv"
	"time"

	"banca/web/kit"
)

// page is the data of the gallery, without its list.
type page struct{ now time.Time }

// In returns the instant that many minutes and seconds from now.
func (p *page) In(minutes, seconds int) time.Time {
	return p.now.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
}

func pageOf(r *kit.Request, _ []row) (*page, error) { return &page{now: r.Now()}, nil }

// ask returns a question with an object, its amount and a field for a reason.
func ask(v *kit.View) *kit.Question {
	return v.Question(v.T("exposure.block"), path, v.T("gallery.ask"), v.T("exposure.block.do")).Irreversible(true).WithID("ask").
		Fact("label.object", kit.Text("18 Burro")).Fact("label.liability", kit.Text("15.137,50 Bs")).
		WithForm(kit.NewForm(kit.TextInput("reason", "label.reason", 300).Required()).WithPrefix("ask-"))
}

// notice returns the notice of an action that can be undone.
func notice(v *kit.View) *kit.Notice {
	return (&kit.Notice{Text: v.T("gallery.notice")}).To(v.T("nav.overview"), "/admin").WithUndo(v, path).With("id", "1")
}

// changes returns a diff with a gain, a loss, a missing value, and further changes that are not listed.
func changes(v *kit.View) *kit.Diff {
	d := v.Diff().Add(v.T("label.name"), kit.Text("Agencia La Fortuna"), kit.Text("Agencia La Fortuna de Los Teques")).
		Add(v.T("label.percent"), kit.Text("7,50 %"), kit.Text("8,00 %")).Effect(-1_234_56, 2, "Bs").
		Add(v.T("label.liability"), kit.Cell{}, kit.Text("500,00 Bs")).Effect(15_137_50, 2, "Bs")
	d.More = 3
	return d
}

// jobStep is the progress of the sample job between two polls.
const jobStep, jobTotal = 250, 1_000

// job returns the progress of a job that has done some of its total.
func job(v *kit.View, done int64) *kit.Progress {
	return v.Progress(v.T("gallery.job"), done, jobTotal).PollFrom(path + "/progress?done=" + strconv.FormatInt(min(done+jobStep, jobTotal), 10))
}

// showJob answers a poll of the job.
func showJob(r *kit.Request) error {
	done, _ := strconv.ParseInt(r.Query("done"), 10, 64) // an invalid number means 0
	return r.Part("components", "job", done)
}

// showNews answers a poll with the number of new rows that the address has.
func showNews(r *kit.Request) error {
	count, _ := strconv.ParseInt(r.Query("count"), 10, 64) // an invalid number means 0
	return r.Part("components", "news", count)
}

// animals returns the options of a picker.
func animals() []kit.Option {
	return []kit.Option{{Value: "5", Text: "5 León"}, {Value: "9", Text: "9 Águila"}, {Value: "18", Text: "18 Burro"}, {Value: "22", Text: "22 Camello"}, {Value: "31", Text: "31 Lapa"}}
}

// suggest returns the animals that match the typed text.
func suggest(_ *kit.Request, typed string) ([]kit.Option, error) {
	return kit.MatchingOptions(animals(), typed), nil
}

// picker returns a form with two pickers: given has all options in the page, asked requests them. If checked is true, it
// has invalid texts, which are marked.
func picker(checked bool) *kit.Form {
	find := kit.FindByText(animals())
	form := kit.NewForm(kit.PickerInput("given", "label.element", find).Suggest(animals()), kit.PickerInput("asked", "label.element", find).SuggestFrom(path+"/suggest").Required())
	if !checked {
		return form.WithPrefix("p-")
	}
	form.WithPrefix("q-").Put("given", "leon").Put("asked", "León")
	form.Check()
	return form
}
