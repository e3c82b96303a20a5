package cloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
)

func testChannel() channel.Channel {
	return channel.Channel{Driver: "cloud", Parameters: map[string]string{
		ParamPhoneNumberID: "106540352242922", ParamAccessToken: "token-of-a-user-x", ParamAppSecret: "secret-of-the-app", ParamVerifyToken: "verify-me",
	}}
}

func receive(body string) (channel.Report, error) {
	sum := hmac.New(sha256.New, []byte("secret-of-the-app"))
	sum.Write([]byte(body))
	header := http.Header{"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(sum.Sum(nil))}}
	return New(nil).Receive(testChannel(), header, []byte(body), time.Now())
}

// change wraps the value of a webhook as Meta does.
func wrapped(value string) string {
	return `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":` + value + `}]}]}`
}

const metadata = `"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"}`

func TestStatusesOfAWebhook(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	report, err := receive(wrapped(`{` + metadata + `,"statuses":[
		{"id":"wamid.1","status":"delivered","timestamp":"1749416383","recipient_id":"584141234567","biz_opaque_callback_data":"` + id.String() + `"},
		{"id":"wamid.1","status":"warning","timestamp":"1749416383"},
		{"id":"wamid.2","status":"failed","timestamp":"x","errors":[{"code":131047,"title":"Re-engagement message","error_data":{"details":"to 584141234567"}}]},
		{"id":"wamid.3","status":"failed","timestamp":"-1"}]}`))
	require.NoError(t, err)
	require.Len(t, report.Statuses, 3)
	assert.Equal(t, channel.Status{ProviderID: "wamid.1", MessageID: id, Delivery: 1, Status: "delivered", At: time.Unix(1749416383, 0).UTC()}, report.Statuses[0])
	assert.Equal(t, channel.NeedsTemplate, report.Statuses[1].Error.Kind)
	assert.NotContains(t, report.Statuses[1].Error.Text, "584141234567")
	assert.True(t, report.Statuses[1].At.IsZero())
	assert.Equal(t, channel.BadContent, report.Statuses[2].Error.Kind)
}

func TestAWebhookOfAnotherNumberSaysNothing(t *testing.T) {
	t.Parallel()
	report, err := receive(wrapped(`{"metadata":{"phone_number_id":"1"},"statuses":[{"id":"wamid.1","status":"read"}]}`))
	require.NoError(t, err)
	assert.True(t, report.Empty())
	report, err = receive(`{"entry":[{"changes":[{"field":"account_update","value":{"event":"DISABLED_UPDATE","ban_info":{"waba_ban_state":"DISABLE"}}}]}]}`)
	require.NoError(t, err)
	assert.True(t, report.Empty(), "perhaps of another account")
}

func TestBadBodiesOfAWebhook(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `[]`, `{"entry":1}`, `{`, `{"entry":"` + strings.Repeat("x", channel.MaxWebhook) + `"}`} {
		_, err := receive(body)
		require.ErrorIs(t, err, channel.ErrWebhook, "%.20s", body)
	}
	for _, signature := range []string{"", "sha256=", "sha256=zz", "sha1=00", strings.Repeat("0", 64)} {
		_, err := New(nil).Receive(testChannel(), http.Header{"X-Hub-Signature-256": {signature}}, []byte(`{}`), time.Now())
		require.ErrorIs(t, err, channel.ErrSignature, signature)
	}
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	ask := func(mode, token, challenge string) bool {
		answer, ok := New(nil).Challenge(testChannel(), url.Values{"hub.mode": {mode}, "hub.verify_token": {token}, "hub.challenge": {challenge}})
		assert.Equal(t, ok, answer == challenge && answer != "")
		return ok
	}
	assert.True(t, ask("subscribe", "verify-me", "1158201444"))
	assert.False(t, ask("subscribe", "verify-you", "1158201444"))
	assert.False(t, ask("subscribe", "", "1158201444"))
	assert.False(t, ask("unsubscribe", "verify-me", "1158201444"))
	assert.False(t, ask("subscribe", "verify-me", "<script>"))
	assert.False(t, ask("subscribe", "verify-me", ""))
	assert.False(t, ask("subscribe", "verify-me", strings.Repeat("1", 1000)))
	_, ok := New(nil).Challenge(channel.Channel{}, url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {""}, "hub.challenge": {"1"}})
	assert.False(t, ok, "no token")
}

func FuzzReceive(f *testing.F) {
	f.Add(wrapped(`{` + metadata + `,"statuses":[{"id":"wamid.1","status":"failed","timestamp":"1749416383","errors":[{"code":131026}]}]}`))
	f.Add(wrapped(`{` + metadata + `,"messages":[{"from":"16505551234","id":"wamid.2","timestamp":"1749416383","type":"text","text":{"body":"BAJA"}}]}`))
	f.Fuzz(func(t *testing.T, body string) {
		report, err := receive(body)
		if err != nil {
			require.ErrorIs(t, err, channel.ErrWebhook)
			return
		}
		checkReport(t, report)
	})
}

// checkReport asserts what every report promises.
func checkReport(t *testing.T, r channel.Report) {
	t.Helper()
	for _, s := range r.Statuses {
		assert.True(t, channel.ValidID(s.ProviderID))
		assert.Contains(t, []string{channel.StatusSent, channel.StatusDelivered, channel.StatusRead, channel.StatusFailed}, s.Status)
		assert.Equal(t, s.Status == channel.StatusFailed, s.Error != nil)
	}
	for _, in := range r.Inbound {
		assert.NotEmpty(t, channel.Phone(in.From))
	}
}
