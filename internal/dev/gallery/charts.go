package gallery

import (
	"strconv"
	"time"

	"banca/internal/platform/money"
	"banca/web/kit"
)

// hours returns the steps of the charts.
func hours() []string {
	return []string{"8 am", "9 am", "10 am", "11 am", "12 m", "1 pm", "2 pm", "3 pm", "4 pm", "5 pm", "6 pm", "7 pm"}
}

// sales returns bars of steps with a negative amount, an empty step and steps to come, below the line of another series.
func sales() *kit.StepBars {
	return (&kit.StepBars{
		Caption: "Venta por hora, en Bs", Digits: 2, Steps: hours(),
		Series: []kit.StepSeries{
			{Title: "Hoy", Hue: kit.HueSales, Values: []money.Amount{150_00, 480_00, -50_00, 0, 320_00}},
			{Title: "Sábado pasado", Hue: kit.HuePast, Values: []money.Amount{200_00, 450_00, 700_00, 950_00, 1_200_00, 620_00, 810_00, 900_00, 990_00, 1_020_00, 640_00, 0}},
		},
	}).Draw()
}

// sharesOf returns shares of rows, of which the last ones have a loss.
func sharesOf(rows ...kit.StackRow) *kit.Stack {
	return (&kit.Stack{Caption: "De cada 100 Bs de venta neta", Whole: "Venta neta", Digits: 2, Rows: rows, Series: []kit.StackSeries{
		{Title: "Premios", Hue: kit.HuePrizes}, {Title: "Taquilla", Hue: kit.HueFees}, {Title: "Agencia", Hue: kit.Shade(1)}, {Title: "Operadora", Hue: kit.HueResult},
	}}).Draw()
}

// shares returns rows of very different wholes: parts within them, a loss, and one that is longer than the chart.
func shares() *kit.Stack {
	return sharesOf(
		kit.StackRow{Name: "Superagencia Centro", Whole: 9_694_740_00, Amounts: []money.Amount{6_049_900_00, 969_474_00, 290_842_20, 2_384_523_80}},
		kit.StackRow{Name: "Un nombre muy largo de una agencia", Whole: 98_200_00, Amounts: []money.Amount{0, 9_820_00, 2_946_00, 85_434_00}},
		kit.StackRow{Name: "Grupo Catia", Whole: 6_200_00, Amounts: []money.Amount{7_800_00, 620_00, 186_00, -2_406_00}},
		kit.StackRow{Name: "Selva Plus", Whole: 6_800_00, Amounts: []money.Amount{40_000_00, 680_00, 204_00, -34_084_00}},
	)
}

// whole returns the parts of one row.
func whole() *kit.Stack {
	return sharesOf(kit.StackRow{Name: "La Fortuna", Whole: 24_329_620_00, Amounts: []money.Amount{14_588_200_00, 2_432_962_00, 486_592_40, 6_821_865_60}})
}

// cascade returns a waterfall with steps up and down, a step of zero, a long name and totals, the last one below zero.
func cascade() *kit.Waterfall {
	return (&kit.Waterfall{Caption: "De la venta al resultado, en Bs", Digits: 2, Steps: []kit.WaterfallStep{
		{Name: "Vendido", Amount: 12_400_00, Hue: kit.HueSales}, {Name: "Anulado", Amount: -400_00, Hue: kit.HuePast}, {Name: "Devuelto", Hue: kit.HuePast},
		{Name: "Venta neta", Amount: 12_000_00, Total: true, Hue: kit.HueSales}, {Name: "Comisión superagencia", Amount: -1_800_00, Hue: kit.HueFees},
		{Name: "Ajuste", Amount: 150_00, Hue: kit.HueFees}, {Name: "Premios", Amount: -11_000_00, Hue: kit.HuePrizes},
		{Name: "Resultado", Amount: -650_00, Total: true, Hue: kit.HueResult},
	}}).Draw()
}

// week returns a sparkline of a week whose last amount is greater than its first.
func week(v *kit.View) *kit.Spark {
	days := []string{"15/11", "16/11", "17/11", "18/11", "19/11", "20/11", "21/11"}
	return v.Spark(v.T("label.amount"), days, []money.Amount{700_00, 820_00, 640_00, 900_00, 880_00, 1_010_00, 1_234_00}, 2)
}

// flat returns a sparkline of days without sales.
func flat(v *kit.View) *kit.Spark {
	return v.Spark(v.T("label.amount"), []string{"20/11", "21/11"}, []money.Amount{0, 0}, 2)
}

// against returns a sparkline of a week that is not over, on that of the week before.
func against(v *kit.View) *kit.Spark {
	earlier := []money.Amount{700_00, 820_00, 640_00, 900_00, 880_00, 1_010_00, 1_234_00}
	return v.SparkAgainst(v.T("label.amount"), []string{"15/11", "16/11", "17/11", "18/11", "19/11", "20/11", "21/11"}, []money.Amount{760_00, 910_00, 690_00, 1_010_00},
		v.T("label.before"), earlier, 2)
}

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
	form := kit.NewForm(kit.PickerInput("given", "limits.element", find).Suggest(animals()), kit.PickerInput("asked", "limits.element", find).SuggestFrom(path+"/suggest").Required())
	if !checked {
		return form.WithPrefix("p-")
	}
	form.WithPrefix("q-").Put("given", "leon").Put("asked", "León")
	form.Check()
	return form
}
