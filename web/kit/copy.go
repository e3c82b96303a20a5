package kit

// Copy is a text, such as a code, with a button that copies it. Without scripts the text alone is shown.
type Copy struct {
	Text string

	Do, Done, Failed string // texts of the button, before and after
	Label            string // of the button, with the text
}

// Copy returns a text with a button that copies it.
func (v *View) Copy(text string) *Copy {
	return &Copy{Text: text, Do: v.T("copy.do"), Done: v.T("copy.done"), Failed: v.T("copy.failed"), Label: v.T("copy.label", text)}
}

// Copied returns a cell with a text and a button that copies it; an empty text is a missing value.
func (v *View) Copied(text string) Cell {
	if text == "" {
		return Cell{}
	}
	return v.Part("copied", v.Copy(text))
}
