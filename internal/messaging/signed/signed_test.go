package signed

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func testChannel() channel.Channel {
	return channel.Channel{Driver: "http", Parameters: map[string]string{ParamURL: "https://x/hook", ParamSecret: secret}}
}

func receive(body string, now time.Time) (channel.Report, error) {
	header := http.Header{}
	for name, value := range headers(secret, "evt_1", []byte(body), now) {
		header.Set(name, value)
	}
	return New(nil, time.Now).Receive(testChannel(), header, []byte(body), time.Now())
}

// TestTheSignatureOfStandardWebhooks verifies the example of their specification.
func TestTheSignatureOfStandardWebhooks(t *testing.T) {
	t.Parallel()
	body := []byte(`{"test": 2432232314}`)
	at := time.Unix(1614265330, 0)
	got := headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", body, at)
	assert.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got[headerSignature])
	header := http.Header{headerID: {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, headerTimestamp: {"1614265330"}, headerSignature: {"v1,AAAA v1a,x " + got[headerSignature]}}
	require.NoError(t, verify(secret, header, body, at.Add(4*time.Minute)), "one of several signatures")
	require.ErrorIs(t, verify(secret, header, body, at.Add(6*time.Minute)), channel.ErrSignature)
	require.ErrorIs(t, verify(secret, header, body, at.Add(-6*time.Minute)), channel.ErrSignature)
	header.Set(headerTimestamp, "1614265331")
	require.ErrorIs(t, verify(secret, header, body, at), channel.ErrSignature, "the timestamp is signed")
	header.Set(headerTimestamp, "1614265330")
	header.Set(headerID, "msg_another")
	require.ErrorIs(t, verify(secret, header, body, at), channel.ErrSignature, "the id is signed")
	header.Set(headerSignature, strings.Repeat("v1,AAAA ", 10)+got[headerSignature])
	require.ErrorIs(t, verify(secret, header, body, at), channel.ErrSignature, "few are tried")
}

func TestErrorsOfAReceiver(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status int
		kind   channel.Kind
		wait   time.Duration
	}{
		`{"error":{"kind":"recipient","message":"none"}}`:              {422, channel.BadRecipient, 0},
		`{"error":{"kind":"rate_limited","retry_after":60}}`:           {429, channel.RateLimited, time.Minute},
		`{"error":{"kind":"rate_limited","retry_after":99999999999}}`:  {429, channel.RateLimited, 24 * time.Hour},
		`{"error":{"kind":"rate_limited","retry_after":-5}}`:           {429, channel.RateLimited, 0},
		`{"error":{"kind":"needs_template"}}`:                          {200, channel.NeedsTemplate, 0},
		`{"error":{"kind":"surprise"}}`:                                {200, channel.BadContent, 0},
		`{"error":{"kind":"surprise"} }`:                               {503, channel.Retryable, 0},
		`{"error":{}}`:                                                 {401, channel.Unauthorised, 0},
		`<html>`:                                                       {504, channel.UnknownOutcome, 0},
		`{"error":{"kind":"content","message":"to +584141234567 no"}}`: {400, channel.BadContent, 0},
	} {
		failure := failureOf(testChannel(), &httpcall.Answer{Status: want.status, Body: []byte(body)})
		require.NotNil(t, failure, body)
		assert.Equal(t, want.kind, failure.Kind, body)
		assert.Equal(t, want.wait, failure.RetryAfter, body)
		assert.NotContains(t, failure.Text, "584141234567")
	}
}

func TestEventsOfAWebhook(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	report, err := receive(`{"events":[
		{"type":"status","message_id":"`+id.String()+`","id":"abc","status":"delivered","at":"2026-11-23T08:00:00Z"},
		{"type":"status","message_id":"`+id.String()+`","status":"failed","error":{"kind":"recipient","message":"gone"}},
		{"type":"inbound","id":"in-1","from":"+584141234567","text":"BAJA"},
		{"type":"state","state":"banned","reason":"spam"},
		{"type":"of a later version"}]}`, time.Now())
	require.NoError(t, err)
	require.Len(t, report.Statuses, 2)
	assert.Equal(t, channel.Status{ProviderID: "abc", MessageID: id, Delivery: 1, Status: "delivered", At: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)}, report.Statuses[0])
	assert.Equal(t, channel.BadRecipient, report.Statuses[1].Error.Kind)
	assert.Equal(t, "BAJA", report.Inbound[0].Text)
	assert.Equal(t, &channel.Link{State: channel.Banned, Reason: "spam"}, report.Link)

	for _, body := range []string{
		``, `[]`, `{"events":[{"type":"status","status":"delivered"}]}`, `{"events":[{"type":"status","id":"x","status":"lost"}]}`,
		`{"events":[{"type":"status","message_id":"1","status":"sent"}]}`, `{"events":[{"type":"inbound","id":"1","from":"x","text":"y"}]}`,
		`{"events":[{"type":"state","state":"qr"}]}`, `{"events":[` + strings.Repeat(`{},`, 1000) + `{}]}`,
		`{"events":[{"type":"status","id":"` + strings.Repeat("x", 201) + `","status":"sent"}]}`,
	} {
		_, err := receive(body, time.Now())
		require.ErrorIs(t, err, channel.ErrWebhook, "%.80s", body)
	}
	_, err = receive(`{"events":[]}`, time.Now().Add(-time.Hour))
	require.ErrorIs(t, err, channel.ErrSignature, "a replay")
}

func FuzzReceive(f *testing.F) {
	f.Add(`{"events":[{"type":"status","id":"abc","status":"failed","at":"2026-11-23T08:00:00Z","error":{"kind":"recipient"}}]}`)
	f.Add(`{"events":[{"type":"inbound","id":"in-1","from":"+584141234567","text":"BAJA"},{"type":"state","state":"open"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		report, err := receive(body, time.Now())
		if err != nil {
			require.ErrorIs(t, err, channel.ErrWebhook)
			return
		}
		for _, s := range report.Statuses {
			assert.True(t, s.ProviderID != "" || s.MessageID != uuid.Nil)
			assert.Equal(t, s.Status == channel.StatusFailed, s.Error != nil)
		}
		for _, in := range report.Inbound {
			assert.NotEmpty(t, channel.Phone(in.From))
		}
	})
}

func ExampleDriver_Parameters() {
	for _, p := range New(nil, time.Now).Parameters() {
		fmt.Println(p.Name, p.Kind, p.Secret)
	}
	// Output:
	// url url false
	// secret text true
}
