package waha

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

const hookSecret = "a-secret-of-the-webhook"

func testChannel() channel.Channel {
	return channel.Channel{Driver: "waha", Parameters: map[string]string{"base_url": "http://x", "api_key": "k", "webhook_secret": hookSecret}}
}

func receive(body string) (channel.Report, error) {
	sum := hmac.New(sha512.New, []byte(hookSecret))
	sum.Write([]byte(body))
	header := http.Header{"X-Webhook-Hmac": {hex.EncodeToString(sum.Sum(nil))}, "X-Webhook-Hmac-Algorithm": {"sha512"}}
	return New(nil).Receive(testChannel(), header, []byte(body), time.Now())
}

// TestTheSignatureOfTheDocumentation verifies the example of https://waha.devlike.pro/docs/how-to/events/#hmac-authentication.
func TestTheSignatureOfTheDocumentation(t *testing.T) {
	t.Parallel()
	assert.True(t, channel.SignedHex(sha512.New, "my-secret-key",
		"208f8a55dde9e05519e898b10b89bf0d0b3b0fdf11fdbf09b6b90476301b98d8097c462b2b17a6ce93b6b47a136cf2e78a33a63f6752c2c1631777076153fa89",
		[]byte(`{"event":"message","session":"default","engine":"WEBJS"}`)))
	header := http.Header{"X-Webhook-Hmac": {"00"}, "X-Webhook-Hmac-Algorithm": {"md5"}}
	_, err := New(nil).Receive(testChannel(), header, []byte(`{}`), time.Now())
	require.ErrorIs(t, err, channel.ErrSignature)
}

func TestEnginesAnswerDifferentIDs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"true_584141234567@c.us_3EB0"}`:                               "3EB0",
		`{"id":{"fromMe":true,"_serialized":"true_584141234567@c.us_3EB0"}}`: "3EB0",
		`{"key":{"remoteJid":"584141234567@s.whatsapp.net","id":"3EB0"}}`:    "3EB0",
		`{"id":"true_120363@g.us_3EB0_584141234567@c.us"}`:                   "3EB0",
		`{"id":7}`: "",
		`[]`:       "",
	} {
		assert.Equal(t, want, receiptID(&httpcall.Answer{Status: 201, Body: []byte(body)}), body)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status int
		kind   channel.Kind
		state  channel.State
	}{
		`{"message":"Sending media (image, video, pdf) is available only in Plus version. Check this out: https://waha.devlike.pro/","error":"Unprocessable Entity","statusCode":422}`: {422, channel.BadContent, ""},
		`{"error":"Session status is not as expected. Try again later or restart the session","session":"default","status":"SCAN_QR_CODE","expected":["WORKING"]}`:                     {422, channel.ChannelDown, channel.ShowsQR},
		`{"error":"Session status is not as expected. Try again later or restart the session","session":"default","status":"FAILED","expected":["WORKING"]}`:                           {422, channel.ChannelDown, channel.Disconnected},
		`{"message":"Session \"default\" does not exist","statusCode":422}`:                                                                                                            {422, channel.ChannelDown, channel.Disconnected},
		`{"message":"Session not found","statusCode":404}`:               {404, channel.ChannelDown, channel.Disconnected},
		`{"message":"Unauthorized","statusCode":401}`:                    {401, channel.Unauthorised, ""},
		`{"message":["chatId must be a string"],"statusCode":400}`:       {400, channel.BadContent, ""},
		`{"statusCode":500,"exception":{"message":"No LID for user"}}`:   {500, channel.BadRecipient, ""},
		`{"statusCode":500,"exception":{"message":"Evaluation failed"}}`: {500, channel.UnknownOutcome, ""},
	} {
		failure := failureOf(testChannel(), &httpcall.Answer{Status: want.status, Body: []byte(body)})
		require.NotNil(t, failure, body)
		assert.Equal(t, want.kind, failure.Kind, body)
		assert.Equal(t, want.state, failure.State, body)
	}
}

func TestEventsOfAWebhook(t *testing.T) {
	t.Parallel()
	event := func(name, payload string) channel.Report {
		r, err := receive(`{"id":"evt_1","timestamp":1741249702485,"event":"` + name + `","session":"default","me":{"id":"584140000001@c.us"},"payload":` + payload + `}`)
		require.NoError(t, err, payload)
		return r
	}
	r := event("message.ack", `{"id":"true_584141234567@c.us_3EB0","from":"584141234567@c.us","participant":null,"fromMe":true,"ack":3,"ackName":"READ"}`)
	assert.Equal(t, []channel.Status{{ProviderID: "3EB0", Status: "read", At: time.UnixMilli(1741249702485).UTC()}}, r.Statuses)
	assert.Equal(t, channel.StatusFailed, event("message.ack", `{"id":"true_1_3EB0","fromMe":true,"ack":-1}`).Statuses[0].Status)
	assert.True(t, event("message.ack", `{"id":"true_1_3EB0","fromMe":true,"ack":0}`).Empty())
	assert.True(t, event("message.ack", `{"id":"true_1_3EB0","fromMe":false,"ack":3}`).Empty())
	assert.True(t, event("message", `{"id":"x","fromMe":true,"from":"584141234567@c.us","body":"ours"}`).Empty())
	assert.True(t, event("message", `{"id":"x","from":"120363@g.us","body":"of a group"}`).Empty())
	for data, want := range map[string]string{
		`{}`: "", `{"key":{"remoteJidAlt":"584141234567@s.whatsapp.net"}}`: "+584141234567", `{"key":{"remoteJidAlt":"1234567890@lid","senderPn":"584141234567@s.whatsapp.net"}}`: "+584141234567",
		`{"Info":{"SenderAlt":"584141234567:12@s.whatsapp.net"}}`: "+584141234567",
	} {
		hidden := event("message", `{"id":"x","from":"463913515435@lid","body":"BAJA","_data":`+data+`}`)
		assert.Equal(t, want, hidden.Inbound[0].From, "a number of WhatsApp's own is no telephone: "+data)
	}
	for status, want := range map[string]channel.State{
		"WORKING": channel.Open, "STARTING": channel.Connecting, "SCAN_QR_CODE": channel.ShowsQR, "STOPPED": channel.Disconnected,
		"FAILED": channel.Disconnected, "PASSKEY_REQUIRED": channel.PasskeyRequired,
	} {
		link := event("session.status", `{"status":"`+status+`","statuses":[],"data":null}`).Link
		require.NotNil(t, link)
		assert.Equal(t, want, link.State)
		assert.Equal(t, "+584140000001", link.Phone)
	}
	assert.Equal(t, "1234", event("session.status", `{"status":"PASSKEY_CONFIRMATION_REQUIRED","data":{"code":"1234"}}`).Link.Code)
	for _, body := range []string{``, `[]`, `{"session":"another","event":"message","payload":{}}`, `{"session":"default","event":"session.status","payload":{}}`, `{"x":"` + strings.Repeat("x", channel.MaxWebhook) + `"}`} {
		_, err := receive(body)
		require.ErrorIs(t, err, channel.ErrWebhook, "%.40s", body)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(`{"timestamp":1741249702485,"event":"message.ack","session":"default","payload":{"id":"true_584141234567@c.us_3EB0","fromMe":true,"ack":3}}`)
	f.Add(`{"event":"session.status","session":"default","payload":{"status":"WORKING"}}`)
	f.Add(`{"event":"message","session":"default","payload":{"id":"x","timestamp":1667561485.5,"from":"584141234567@c.us","body":"baja"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		report, err := receive(body)
		if err != nil {
			require.ErrorIs(t, err, channel.ErrWebhook)
			return
		}
		for _, s := range report.Statuses {
			assert.True(t, channel.ValidID(s.ProviderID))
			assert.Equal(t, s.Status == channel.StatusFailed, s.Error != nil)
		}
		for _, in := range report.Inbound {
			assert.NotEmpty(t, channel.Phone(in.From))
		}
	})
}
