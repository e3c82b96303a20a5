package gallery

import (
	"strconv"
	"time"

	"banca/web/kit"
)

// page is what the gallery shows besides its list.
type page struct{ now time.Time }

// In returns an instant some minutes and seconds from now.
func (p *page) In(minutes, seconds int) time.Time {
	return p.now.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
}

func pageOf(r *kit.Request, _ []row) (*page, error) { return &page{now: r.Now()}, nil }

// ask is a question with an object, its amount and a reason to fill in.
func ask(v *kit.View) *kit.Question {
	return v.Question(v.T("exposure.block"), path, v.T("gallery.ask"), v.T("exposure.block.do")).Gravely(true).As("ask").
		Fact("label.object", kit.Text("18 Burro")).Fact("label.liability", kit.Text("15.137,50 Bs")).
		WithForm(kit.NewForm(kit.TextInput("reason", "label.reason", 300).Needed()).As("ask-"))
}

// notice is the notice of an action that can be undone.
func notice(v *kit.View) *kit.Notice {
	return (&kit.Notice{Text: v.T("gallery.notice")}).To(v.T("nav.overview"), "/admin").UndoneBy(v, path).With("id", "1")
}

// changes is a diff with a gain, a loss, a missing value and more than it lists.
func changes(v *kit.View) *kit.Diff {
	d := v.Diff().Add(v.T("label.name"), kit.Text("Agencia La Fortuna"), kit.Text("Agencia La Fortuna de Los Teques")).
		Add(v.T("label.percent"), kit.Text("7,50 %"), kit.Text("8,00 %")).Effect(-1_234_56, 2, "Bs").
		Add(v.T("label.liability"), kit.Cell{}, kit.Text("500,00 Bs")).Effect(15_137_50, 2, "Bs")
	d.More = 3
	return d
}

// jobStep is how far the job of the gallery gets between two answers.
const jobStep, jobTotal = 250, 1_000

// job is a job that runs until its total.
func job(v *kit.View, done int64) *kit.Progress {
	return v.Progress(v.T("gallery.job"), done, jobTotal).From(path + "/progress?done=" + strconv.FormatInt(min(done+jobStep, jobTotal), 10))
}

// showJob answers with the job further on.
func showJob(r *kit.Request) error {
	done, _ := strconv.ParseInt(r.Query("done"), 10, 64) // an invalid number is the beginning
	return r.Part("components", "job", done)
}

// showNews answers with as many new rows as the address has.
func showNews(r *kit.Request) error {
	count, _ := strconv.ParseInt(r.Query("count"), 10, 64) // an invalid number is none
	return r.Part("components", "news", count)
}

// animals are the options of a picker.
func animals() []kit.Option {
	return []kit.Option{{Value: "5", Text: "5 León"}, {Value: "9", Text: "9 Águila"}, {Value: "18", Text: "18 Burro"}, {Value: "22", Text: "22 Camello"}, {Value: "31", Text: "31 Lapa"}}
}

// suggest offers animals as a server does.
func suggest(_ *kit.Request, typed string) ([]kit.Option, error) {
	return kit.Matching(animals(), typed), nil
}

// picker is a form with pickers whose options are given or asked for; a checked one refuses what is no option.
func picker(checked bool) *kit.Form {
	find := kit.Among(animals())
	form := kit.NewForm(kit.PickerInput("given", "label.element", find).Suggest(animals()), kit.PickerInput("asked", "label.element", find).From(path+"/suggest").Needed())
	if !checked {
		return form.As("p-")
	}
	form.As("q-").Put("given", "leon").Put("asked", "León")
	form.Check()
	return form
}
