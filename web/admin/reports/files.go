package reports

import (
	"strconv"
	"time"

	"banca/internal/exports"
	"banca/internal/platform/businessday"
	"banca/internal/platform/sheet"
	"banca/web/kit"
)

// filesPage is the list of the caller's exports.
type filesPage struct {
	Running []*exports.Export // of the shown ones
}

func (p *pages) fileRows(r *kit.Request, w kit.Window) ([]exports.Export, int64, error) {
	return p.Exports.List(r.Context(), r.Caller, w.Limit, w.Offset)
}

func (p *pages) filesPage(_ *kit.Request, rows []exports.Export) (*filesPage, error) {
	page := &filesPage{}
	for i := range rows {
		if rows[i].Unfinished() {
			page.Running = append(page.Running, &rows[i])
		}
	}
	return page, nil
}

// fileJob is the progress of an export, with its link once it is done.
type fileJob struct {
	*kit.Progress

	Download string // address; "" while it is not done
	Label    string // of the address
}

// jobOf returns the progress of an export. It is a function of the templates.
func jobOf(v *kit.View, e *exports.Export) *fileJob {
	job := &fileJob{Progress: v.Progress(v.T("reports.file."+e.Report), e.Rows, e.Total), Label: v.T("reports.file.download")}
	switch {
	case e.State == exports.StateDone:
		job.Progress = v.Progress(v.T("reports.file."+e.Report), max(e.Rows, 1), max(e.Rows, 1))
		job.Download = filesPath + "/" + e.ID.String() + "/download"
	case e.State == exports.StateFailed:
		job.Fail(failureText(v, e))
	case e.Unfinished():
		job.PollAddress = filesPath + "/" + e.ID.String() + "/progress"
	}
	return job
}

// failureText says why an export failed.
func failureText(v *kit.View, e *exports.Export) string {
	return v.FirstText("code."+e.ErrorCode, "code."+exports.ErrFailed.Code)
}

// fileProgress answers a poll with the progress of an export.
func (p *pages) fileProgress(r *kit.Request) error {
	e, err := p.Exports.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	return r.Part("files", "job", e)
}

// download leads to a link of the file that holds for some minutes.
func (p *pages) download(r *kit.Request) error {
	e, err := p.Exports.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	link, err := p.Exports.Link(r.Context(), e)
	if err != nil {
		return p.files.AsPage().ShowRefusal(r, err)
	}
	return r.Redirect(link.URL)
}

// prepare starts an export of the report that a form names.
func (p *pages) prepare(r *kit.Request) error {
	_, _, err := p.Exports.Create(r.Context(), r.Caller, &exports.Request{
		Report: r.Text("report"), Format: sheet.Format(r.Text("format")), Language: r.Language, IdempotencyKey: r.Text("key"),
		Filter: exports.Filter{
			EntityID: r.Text("entity"), From: r.Text("from"), To: r.Text("to"), Currency: r.Text("currency"), DrawID: r.Text("draw"), WalletID: r.Text("wallet"),
			ParentID: r.Text("parent"), Week: r.Text("week"), Status: r.Text("status"), Search: r.Text("search"),
		},
	})
	return p.files.AsPage().SubmitTo(r, err, filesPath, "reports.file")
}

func fileColumns() []kit.Column[exports.Export] {
	return []kit.Column[exports.Export]{
		{Title: "reports.file", Cell: func(v *kit.View, e *exports.Export) kit.Cell {
			cell := kit.Wrap(v.T("reports.file." + e.Report)).WithSecondLine(periodOf(v, e))
			if e.State == exports.StateDone {
				cell = cell.To(filesPath + "/" + e.ID.String() + "/download")
			}
			return cell
		}},
		{Title: "label.state", Lead: true, Cell: func(v *kit.View, e *exports.Export) kit.Cell {
			cell := kit.Badges(v.State("export", e.State))
			switch {
			case e.Unfinished(): // as its progress above says
				cell = kit.Badges(kit.Badge{Tone: kit.ToneWaiting, Text: v.T("progress.running")})
			case e.State == exports.StateFailed:
				cell = cell.WithSecondLine(failureText(v, e))
			}
			return cell
		}},
		{Title: "reports.file.rows", Number: true, Cell: func(v *kit.View, e *exports.Export) kit.Cell { return kit.Text(v.Count(e.Rows)) }},
		{Title: "reports.file.size", Number: true, Cell: func(_ *kit.View, e *exports.Export) kit.Cell {
			if e.Bytes == 0 {
				return kit.None()
			}
			return kit.Text(sizeText(e.Bytes) + " " + e.Format)
		}},
		{Title: "label.created", Cell: func(v *kit.View, e *exports.Export) kit.Cell { return kit.At(v.Time(e.CreatedAt)) }},
		kit.TimeColumn("reports.file.expires", func(e *exports.Export) time.Time { return e.ExpiresAt }).
			If(func(e *exports.Export) bool { return !e.ExpiresAt.IsZero() }).TableOnly(),
	}
}

// periodOf is the days of an export.
func periodOf(v *kit.View, e *exports.Export) string {
	if e.Filter.Week != "" {
		return e.Filter.Week
	}
	from, to := shownDay(v, e.Filter.From), shownDay(v, e.Filter.To)
	if from == to {
		return from
	}
	return from + " – " + to
}

// shownDay is a day of a filter in the language of the page.
func shownDay(v *kit.View, text string) string {
	day, err := businessday.Parse(text)
	if err != nil {
		return text // as it was asked for
	}
	return v.Day(day)
}

// sizeText is a number of bytes in KiB or MiB.
func sizeText(bytes int64) string {
	const kib = 1 << 10
	if bytes < kib*kib {
		return strconv.FormatInt((bytes+kib-1)/kib, 10) + " KiB"
	}
	return strconv.FormatInt((bytes+kib*kib-1)/(kib*kib), 10) + " MiB"
}

// prepared returns the form for a long list of a report; nil for a list whose file is sent at once.
func prepared(r *kit.Request, report string, b *base, more ...kit.Parameter) *kit.Prepared {
	return kit.NewPrepared(r, report, append(more,
		kit.Parameter{Name: "entity", Value: b.Head.Entity.ID.String()}, kit.Parameter{Name: "from", Value: b.Head.From.String()},
		kit.Parameter{Name: "to", Value: b.Head.To.String()}, kit.Parameter{Name: "currency", Value: b.Head.Currency.Code})...)
}
