package kit

import "net/url"

// besideParam is the parameter of the address, after an action, with the object that shows the notice.
const besideParam = "beside"

// noticeID is the id of an object's notice, to which the browser scrolls.
const noticeID = "done"

// Notice is the text after an action, shown at the object of the action. It may have a link to the object that the
// action created, and a button that undoes the action.
type Notice struct {
	Text string
	Link *MenuLink
	Undo *Question // an action button; nil for none
}

// DoneBeside redirects from an action to a page, which shows a notice at an object. A page without the object shows
// the notice at its top.
func (r *Request) DoneBeside(address, notice, object string) error {
	return r.Redirect(joined(address, url.Values{doneParam: {notice}, besideParam: {object}}) + "#" + noticeID)
}

// Beside returns the notice of the last action if it is about an object, otherwise nil.
func (v *View) Beside(object string) *Notice {
	if v.Notice == "" || v.beside == "" || v.beside != object {
		return nil
	}
	return &Notice{Text: v.Notice}
}

// To adds a link to the object that the action created.
func (n *Notice) To(title, address string) *Notice {
	n.Link = &MenuLink{Title: title, Path: address}
	return n
}

// WithUndo adds a button that undoes the action.
func (n *Notice) WithUndo(v *View, action string) *Notice {
	n.Undo = v.ActionButton(action, v.T("notice.undo"))
	return n
}

// With adds a hidden field to the form of the undo button.
func (n *Notice) With(name, value string) *Notice {
	n.Undo.With(name, value)
	return n
}
