package kit

// Progress is the progress of a long job. The job does not depend on the page: the user may leave it and come back.
type Progress struct {
	Title       string
	Done, Total int64  // Total is 0 if it is unknown
	Failed      string // text of the error; "" if the job has not failed
	PollAddress string // address that returns the template part progress; "" if the job has ended or failed

	view *View
}

// Progress returns the progress of a job.
func (v *View) Progress(title string, done, total int64) *Progress {
	return &Progress{Title: title, Done: done, Total: total, view: v}
}

// PollFrom sets the address that a script polls while the job runs.
func (p *Progress) PollFrom(address string) *Progress {
	if p.Failed == "" && !p.Ended() {
		p.PollAddress = address
	}
	return p
}

// Fail marks the job as failed, with the text of the error.
func (p *Progress) Fail(text string) *Progress {
	p.Failed, p.PollAddress = text, ""
	return p
}

// Ended reports whether the job is complete.
func (p *Progress) Ended() bool { return p.Total > 0 && p.Done >= p.Total }

// hundred is 100 percent.
const hundred = 100

// Percent returns the completed part, rounded down, so that 100 means complete.
func (p *Progress) Percent() int64 {
	if p.Ended() {
		return hundred
	}
	if p.Total <= 0 {
		return 0
	}
	return max(p.Done, 0) * hundred / p.Total
}

// Tone returns the tone of the job's state.
func (p *Progress) Tone() string {
	switch {
	case p.Failed != "":
		return ToneTrouble
	case p.Ended():
		return ToneOK
	default:
		return ToneWaiting
	}
}

// State returns the text of the job's state.
func (p *Progress) State() string {
	switch {
	case p.Failed != "":
		return p.view.T("progress.failed")
	case p.Ended():
		return p.view.T("progress.ended")
	case p.Total > 0:
		return p.view.T("progress.percent", p.Percent())
	default:
		return p.view.T("progress.running")
	}
}

// Text returns the completed number, with the error of a failed job, or a note that the user may leave the page.
func (p *Progress) Text() string {
	text := p.view.T("progress.done", p.view.Count(p.Done))
	if p.Total > 0 {
		text = p.view.T("progress.of", p.view.Count(p.Done), p.view.Count(p.Total))
	}
	switch {
	case p.Failed != "":
		return text + " · " + p.Failed
	case p.Ended():
		return text
	default:
		return text + " · " + p.view.T("progress.leave")
	}
}

// Reload returns the text of the link that reloads the page, for browsers without scripts.
func (p *Progress) Reload() string { return p.view.T("progress.reload") }
