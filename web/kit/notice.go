package kit

import "net/url"

// besideParam names, in the address after an action, the object beside which the notice is shown.
const besideParam = "beside"

// noticeID is the id of the notice beside an object, to which the browser scrolls.
const noticeID = "done"

// Notice says what an action did beside the place where it was clicked. It may lead to what the action made, or undo
// the action.
type Notice struct {
	Text string
	Link *MenuLink
	Undo *Question // acts at once
}

// DoneBeside redirects from an action to a page, which shows a notice beside an object. A page without the object shows
// the notice on its top.
func (r *Request) DoneBeside(address, notice, object string) error {
	return r.Redirect(joined(address, url.Values{doneParam: {notice}, besideParam: {object}}) + "#" + noticeID)
}

// Beside returns the notice of the action that led here if it is about an object, else nil.
func (v *View) Beside(object string) *Notice {
	if v.Notice == "" || v.beside == "" || v.beside != object {
		return nil
	}
	return &Notice{Text: v.Notice}
}

// To adds a link to what the action made.
func (n *Notice) To(title, address string) *Notice {
	n.Link = &MenuLink{Title: title, Path: address}
	return n
}

// UndoneBy adds a form that undoes the action.
func (n *Notice) UndoneBy(v *View, action string) *Notice {
	n.Undo = v.Press(action, v.T("notice.undo"))
	return n
}

// With adds a hidden field to the form that undoes the action.
func (n *Notice) With(name, value string) *Notice {
	n.Undo.With(name, value)
	return n
}
