package evolution

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
)

const hookSecret = "a-secret-of-the-webhook"

func receive(body string) (channel.Report, error) {
	c := channelAt("http://x")
	c.Parameters[channel.ParamWebhookSecret] = hookSecret
	return driver().Receive(c, http.Header{http.CanonicalHeaderKey(SecretHeader): {hookSecret}}, []byte(body), time.Now())
}

func TestEventsOfAWebhook(t *testing.T) {
	t.Parallel()
	event := func(name, data string) channel.Report {
		report, err := receive(`{"event":"` + name + `","instance":"mi banca","data":` + data + `,"date_time":"2026-11-23T08:00:00.000Z","apikey":null}`)
		require.NoError(t, err, data)
		return report
	}
	for status, want := range map[string]string{"SERVER_ACK": "sent", "DELIVERY_ACK": "delivered", "READ": "read", "PLAYED": "read", "ERROR": "failed"} {
		r := event("messages.update", `{"keyId":"3EB0","remoteJid":"584141234567@s.whatsapp.net","fromMe":true,"status":"`+status+`"}`)
		require.Len(t, r.Statuses, 1)
		assert.Equal(t, want, r.Statuses[0].Status)
	}
	assert.Len(t, event("MESSAGES_UPDATE", `[{"keyId":"1","fromMe":true,"status":"READ"},{"keyId":"2","fromMe":true,"status":"READ"}]`).Statuses, 2)
	for _, nothing := range []string{`{"keyId":"3EB0","fromMe":true,"status":"PENDING"}`, `{"keyId":"3EB0","fromMe":false,"status":"READ"}`, `{"fromMe":true,"status":"READ"}`, `[]`} {
		assert.True(t, event("messages.update", nothing).Empty(), nothing)
	}
	in := event("messages.upsert", `{"key":{"id":"A","remoteJid":"5841@lid","remoteJidAlt":"584141234567@s.whatsapp.net","fromMe":false},"message":{"extendedTextMessage":{"text":"baja"}},"messageTimestamp":1700000000}`)
	assert.Equal(t, []channel.Inbound{{ID: "A", From: "+584141234567", Text: "baja", At: time.Unix(1700000000, 0).UTC()}}, in.Inbound)
	assert.True(t, event("messages.upsert", `{"key":{"id":"A","remoteJid":"120363@g.us"},"message":{"conversation":"of a group"}}`).Empty())

	for data, want := range map[string]channel.State{
		`{"state":"open","statusReason":200,"wuid":"584140000001:3@s.whatsapp.net"}`: channel.Open,
		`{"state":"connecting","statusReason":200}`:                                  channel.Connecting,
		`{"state":"close","statusReason":401}`:                                       channel.Disconnected,
		`{"state":"refused","statusReason":428}`:                                     channel.Disconnected,
		`{"state":"close","statusReason":402}`:                                       channel.Banned,
		`{"state":"close","statusReason":403}`:                                       channel.Banned,
		`{"state":"close","statusReason":406}`:                                       channel.Banned,
		`{"state":"connecting","passkeyStage":"challenge"}`:                          channel.PasskeyRequired,
	} {
		r := event("connection.update", data)
		require.NotNil(t, r.Link)
		assert.Equal(t, want, r.Link.State, data)
	}
	assert.Equal(t, "+584140000001", event("connection.update", `{"state":"open","wuid":"584140000001:3@s.whatsapp.net"}`).Link.Phone)
	assert.Equal(t, channel.Disconnected, event("qrcode.updated", `{"message":"QR code limit reached, please login again","statusCode":500}`).Link.State)
	assert.True(t, event("presence.update", `{}`).Empty())
}

func TestBadBodiesOfAWebhook(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `[]`, `{"event":"messages.update","instance":"another","data":{}}`, `{"event":"messages.update","instance":"mi banca","data":1}`,
		`{"event":"connection.update","instance":"mi banca","data":{}}`, `{"event":"x","instance":"mi banca","data":"` + strings.Repeat("x", channel.MaxWebhook) + `"}`,
	} {
		_, err := receive(body)
		require.ErrorIs(t, err, channel.ErrWebhook, "%.60s", body)
	}
	_, err := driver().Receive(channelAt("http://x"), http.Header{http.CanonicalHeaderKey(SecretHeader): {""}}, []byte(`{}`), time.Now())
	require.ErrorIs(t, err, channel.ErrSignature, "a channel without a secret")
}

func TestGatewaysThatLieAboutTheirState(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]channel.State{
		`{"count":0}`: channel.Connecting,
		`{"base64":"data:image/png;base64,AAAA","count":1}`:                     channel.Connecting, // no picture
		`{"base64":"` + strings.Repeat("A", 200_000) + `"}`:                     channel.Connecting,
		`{"instance":{"instanceName":"x","state":"open"}}`:                      channel.Open,
		`{"error":true,"message":"BadRequestException: x does not exist"}`:      channel.Disconnected,
		`{"instance":{"state":"connecting"},"passkeyOpenUrl":"https://x#wapk"}`: channel.PasskeyRequired,
	} {
		c, _, _ := answer(t, http.StatusOK, body)
		link, err := driver().ask(t.Context(), c, driver().call(c, http.MethodPost, map[string]string{}, "instance", "connect", "x"))
		require.NoError(t, err, body)
		assert.Equal(t, want, link.State, "%.60s", body)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(`{"event":"messages.update","instance":"mi banca","data":{"keyId":"3EB0","fromMe":true,"status":"READ"}}`)
	f.Add(`{"event":"connection.update","instance":"mi banca","data":{"state":"close","statusReason":403}}`)
	f.Add(`{"event":"qrcode.updated","instance":"mi banca","data":{"qrcode":{"base64":"data:image/png;base64,iVBORw0KGgo="}}}`)
	f.Add(`{"event":"messages.upsert","instance":"mi banca","data":{"key":{"id":"A","remoteJid":"584141234567@s.whatsapp.net"},"message":{"conversation":"baja"},"messageTimestamp":"1700000000"}}`)
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
		if report.Link != nil {
			assert.Equal(t, report.Link.State == channel.ShowsQR, report.Link.QR != nil)
		}
	})
}
