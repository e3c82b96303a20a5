package cloud

import (
	"net/http"
	"strconv"
	"time"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// meaning is what a code says of a message and of its channel.
type meaning struct {
	kind         channel.Kind
	state        channel.State
	wait         time.Duration
	perRecipient bool
}

// ecosystemWait is how long Meta asks to wait after 131049, which protects recipients from too many messages.
const ecosystemWait = 24 * time.Hour

// codes lists the codes of
// https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes. Ranges are in
// meaningOf.
func codes() map[int]meaning {
	return map[int]meaning{
		1:      {kind: channel.Retryable}, // unknown, possibly a server's
		2:      {kind: channel.Retryable}, // overloaded
		131000: {kind: channel.Retryable}, // something went wrong
		131016: {kind: channel.Retryable}, // service unavailable
		131057: {kind: channel.Retryable}, // account in maintenance
		133016: {kind: channel.Retryable}, // registered and deregistered too often
		4:      {kind: channel.RateLimited},
		80007:  {kind: channel.RateLimited},
		130429: {kind: channel.RateLimited},
		131056: {kind: channel.RateLimited, perRecipient: true}, // pair rate limit
		131049: {kind: channel.RateLimited, perRecipient: true, wait: ecosystemWait},

		131047: {kind: channel.NeedsTemplate}, // more than 24 hours since the customer wrote

		131021: {kind: channel.BadRecipient}, // the sender itself
		131026: {kind: channel.BadRecipient}, // undeliverable
		131030: {kind: channel.BadRecipient}, // not on the list of a test number
		131050: {kind: channel.BadRecipient}, // opted out
		130472: {kind: channel.BadRecipient}, // part of an experiment

		100:    {kind: channel.BadContent},
		131008: {kind: channel.BadContent}, // a parameter is missing
		131009: {kind: channel.BadContent}, // a parameter is invalid
		131051: {kind: channel.BadContent}, // unsupported type
		131052: {kind: channel.BadContent}, // the picture could not be downloaded
		131053: {kind: channel.BadContent}, // the picture could not be uploaded
		135000: {kind: channel.BadContent},

		0:      {kind: channel.Unauthorised},
		3:      {kind: channel.Unauthorised},
		10:     {kind: channel.Unauthorised},
		190:    {kind: channel.Unauthorised}, // the token has expired
		131005: {kind: channel.Unauthorised},
		33:     {kind: channel.ChannelDown, state: channel.Disconnected}, // the number was deleted
		368:    {kind: channel.ChannelDown, state: channel.Banned},       // blocked for a breach of policy
		131031: {kind: channel.ChannelDown, state: channel.Banned},       // the account is locked
		131037: {kind: channel.ChannelDown},                              // the display name waits for approval
		131042: {kind: channel.ChannelDown},                              // payment
		131045: {kind: channel.ChannelDown, state: channel.Disconnected}, // not registered
		131048: {kind: channel.ChannelDown},                              // too many messages were blocked as spam
		130497: {kind: channel.ChannelDown},                              // not to this country
		133010: {kind: channel.ChannelDown, state: channel.Disconnected}, // not registered
	}
}

// meaningOf returns what a code means; ok is false for one that is not known.
func meaningOf(code int) (m meaning, ok bool) {
	const firstPermission, lastPermission = 200, 299
	const firstTemplate, lastTemplate = 132000, 132999
	switch {
	case code >= firstPermission && code <= lastPermission:
		return meaning{kind: channel.Unauthorised}, true
	case code >= firstTemplate && code <= lastTemplate:
		return meaning{kind: channel.BadContent}, true
	}
	m, ok = codes()[code]
	return m, ok
}

// graphError is an error in an answer or in a status. Answers have a message, statuses a title as well.
type graphError struct {
	Code      *int   `json:"code"`
	Title     string `json:"title"`
	Message   string `json:"message"`
	Transient bool   `json:"is_transient"`
	Data      struct {
		Details string `json:"details"`
	} `json:"error_data"`
}

func (g *graphError) text(c channel.Channel) string {
	text := "code " + strconv.Itoa(*g.Code) + ": " + g.Message
	if g.Message == "" {
		text += g.Title
	}
	if g.Data.Details != "" {
		text += ": " + g.Data.Details
	}
	return c.Clean(text)
}

// errorOf classifies an error. status is the HTTP status, used for unknown codes; 0 for a status by webhook.
func (g *graphError) errorOf(c channel.Channel, status int) *channel.Error {
	m, known := meaningOf(*g.Code)
	switch {
	case known:
	case g.Transient:
		m.kind = channel.Retryable
	case status/100 == http.StatusOK/100, status == 0:
		m.kind = channel.BadContent // refused for a reason that needs a person
	default:
		m.kind = httpcall.KindOf(status)
	}
	return &channel.Error{
		Kind: m.kind, Text: g.text(c), RetryAfter: m.wait, ProviderCode: strconv.Itoa(*g.Code),
		PerRecipient: m.perRecipient, State: m.state,
	}
}

// failureOf returns the error of an answer; nil for a success. An error in an answer with status 200 is one, too.
func failureOf(c channel.Channel, answer *httpcall.Answer) *channel.Error {
	var body struct {
		Error *graphError `json:"error"`
	}
	if answer.Read(&body) && body.Error != nil && body.Error.Code != nil {
		failure := body.Error.errorOf(c, answer.Status)
		if wait := answer.RetryAfter(); wait > 0 {
			failure.RetryAfter = wait
		}
		return failure
	}
	if answer.OK() {
		return nil
	}
	return &channel.Error{Kind: httpcall.KindOf(answer.Status), Text: answer.Text(c), RetryAfter: answer.RetryAfter()}
}
