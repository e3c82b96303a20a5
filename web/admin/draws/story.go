package draws

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/draws"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// Story is the timeline of the draw: sale, closing, each version of its result, settlement and suspension. What has happened is good or bad, what is
// to come neither.
func (d *drawPage) Story(v *kit.View) *kit.Timeline {
	t := v.Timeline()
	if !d.OpensAt.IsZero() {
		t.Add(d.past(d.OpensAt), v.T("draw.opened"), d.OpensAt)
	}
	if d.ClosedAt.IsZero() {
		t.Add(d.past(d.SaleStopAt), v.T("draw.stop"), d.SaleStopAt)
	} else {
		t.Add("good", v.T("draw.sealed"), d.ClosedAt)
		if d.SealedTickets > 0 {
			t.WithText(v.N("board.tickets", d.SealedTickets))
		}
	}
	if d.SuspendedAt.IsZero() {
		t.Add(d.past(d.Time), v.T("draw.held"), d.Time)
	}
	t.AddIf("good", v.T("draw.closed.external"), d.ExternalClosedAt)
	for i := range d.Versions {
		d.addVersion(v, t, &d.Versions[i])
	}
	t.AddIf("good", v.T("draw.settled"), d.SettledAt)
	if !d.SuspendedAt.IsZero() {
		t.Add("bad", v.T("draw.suspended"), d.SuspendedAt).WithText(d.SuspendReason).WithText(byWhom(v, d.names, d.stopped))
		if d.RefundedAt.IsZero() {
			t.WithText(v.T("draw.refunding"))
		} else {
			t.Add("good", v.T("draw.refunded"), d.RefundedAt).WithText(d.refundText(v))
		}
	}
	return t.Sorted()
}

// past is the class of an event at a time that is fixed beforehand.
func (d *drawPage) past(at time.Time) string {
	if at.After(d.request.Now()) {
		return ""
	}
	return "good"
}

// refundText is the refunded amounts of the draw, for users who see its sales.
func (d *drawPage) refundText(v *kit.View) string {
	var amounts []string
	for i := range d.sold {
		if s := &d.sold[i]; s.Refunded > 0 {
			amounts = append(amounts, currency.Text(v, s.Refunded, s.Currency))
		}
	}
	if len(amounts) == 0 && d.request.Caller.IsOperator() && !d.Archived {
		return v.T("draw.refunded.none")
	}
	return strings.Join(amounts, " · ")
}

// addVersion adds the entry of a version of the result, its verification, and its end. The value of a proposed one is hidden from a user who
// verifies it.
func (d *drawPage) addVersion(v *kit.View, t *kit.Timeline, r *draws.Result) {
	text := d.game.ResultText(r.Outcome.String())
	if d.MayVerify && !d.Own && r.Status == models.ResultProposed {
		text = v.T("draw.hidden")
	}
	title := "draw.story." + r.Origin
	if r.Supersedes != uuid.Nil {
		title = "draw.story.correction"
	}
	t.Add("good", v.T(title), r.EnteredAt).WithText(text).WithText(sourceText(v, r.Source)).WithText(byWhom(v, d.names, r.EnteredBy))
	if r.Status == models.ResultProposed {
		t.State("result", r.Status)
	}
	reason := r.Reason
	if r.Status != models.ResultRejected {
		t.WithText(reason)
	}
	if !r.VerifiedAt.IsZero() {
		t.Add("good", v.T("draw.verified"), r.VerifiedAt).WithText(text).WithText(byWhom(v, d.names, r.VerifiedBy))
	}
	switch r.Status {
	case models.ResultRejected:
		t.AddIf("bad", v.T("draw.story.rejected"), r.ClosedAt).WithText(text).WithText(reason).WithText(byWhom(v, d.names, r.ClosedBy))
	case models.ResultSuperseded:
		t.AddIf("bad", v.T("draw.story.superseded"), r.ClosedAt).WithText(text)
	}
}

// byWhom names a user, for readers who may open the page of users.
func byWhom(v *kit.View, names *sentence.Names, user uuid.UUID) string {
	if name := names.Of(v, user).Text; name != "" {
		return v.T("draw.story.by", name)
	}
	return ""
}
