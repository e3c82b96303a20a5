package kit

// Progress is how far a long job is. Its page may be left: a later visit shows how far the job is then.
type Progress struct {
	Title       string
	Done, Total int64  // Total is 0 while it is unknown
	Failed      string // what went wrong, in words; "" for a job that runs or has ended
	Again       string // address that answers with the part; "" for a job that has ended or failed

	view *View
}

// Progress returns how far a job is.
func (v *View) Progress(title string, done, total int64) *Progress {
	return &Progress{Title: title, Done: done, Total: total, view: v}
}

// From sets the address that a running job is read from again.
func (p *Progress) From(address string) *Progress {
	if p.Failed == "" && !p.Ended() {
		p.Again = address
	}
	return p
}

// FailedWith says what went wrong.
func (p *Progress) FailedWith(text string) *Progress {
	p.Failed, p.Again = text, ""
	return p
}

// Ended reports whether all of the job is done.
func (p *Progress) Ended() bool { return p.Total > 0 && p.Done >= p.Total }

// hundred is the whole of a percentage.
const hundred = 100

// Percent is rounded down, so that 100 means all.
func (p *Progress) Percent() int64 {
	if p.Ended() {
		return hundred
	}
	if p.Total <= 0 {
		return 0
	}
	return max(p.Done, 0) * hundred / p.Total
}

// Tone is the tone of the job's state.
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

// State is the job's state in words.
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

// Text says how much is done, what went wrong, or that the page may be left.
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

// Reload is the text of the link that reads the page again without scripts.
func (p *Progress) Reload() string { return p.view.T("progress.reload") }
