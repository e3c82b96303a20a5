package kit

// Copy is a text, such as a code, with a button that copies it. Without scripts the text alone is shown.
type Copy struct {
	Text string

	Button, Done, Failed string // texts of the button: before a click, after a copy and after a failure
	Label                string // title of the button, which includes Text
}

// Copy returns a text with a button that copies it.
func (v *View) Copy(text string) *Copy {
	return &Copy{Text: text, Button: v.T("copy.do"), Done: v.T("copy.done"), Failed: v.T("copy.failed"), Label: v.T("copy.label", text)}
}
