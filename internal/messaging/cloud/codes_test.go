package cloud

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// TestEveryCodeHasItsKind lists the codes by their kind, in an answer and in a status by webhook.
func TestEveryCodeHasItsKind(t *testing.T) {
	t.Parallel()
	for kind, list := range map[channel.Kind][]int{
		channel.Retryable:     {1, 2, 131000, 131016, 131057, 133016},
		channel.RateLimited:   {4, 80007, 130429, 131056, 131049},
		channel.NeedsTemplate: {131047},
		channel.BadRecipient:  {131021, 131026, 131030, 131050, 130472},
		channel.BadContent:    {100, 131008, 131009, 131051, 131052, 131053, 132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068, 132069, 132999, 135000},
		channel.Unauthorised:  {0, 3, 10, 190, 200, 210, 299, 131005},
		channel.ChannelDown:   {33, 368, 131031, 131037, 131042, 131045, 131048, 130497, 133010},
	} {
		for _, code := range list {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusInternalServerError} {
				failure := failureOf(channel.Channel{}, answerWith(status, code, ""))
				require.NotNil(t, failure)
				assert.Equal(t, kind, failure.Kind, "%d in %d", code, status)
				assert.Equal(t, strconv.Itoa(code), failure.ProviderCode)
			}
			s := status{ID: "wamid.x", Status: "failed", Errors: []graphError{{Code: &code, Title: "x"}}}
			report, ok := s.report(channel.Channel{})
			require.True(t, ok)
			assert.Equal(t, kind, report.Error.Kind, code)
		}
	}
}

func answerWith(status, code int, more string) *httpcall.Answer {
	return &httpcall.Answer{Status: status, Body: fmt.Appendf(nil, `{"error":{"message":"x","type":"OAuthException","code":%d%s}}`, code, more)}
}

func TestWhatACodeSaysBesidesItsKind(t *testing.T) {
	t.Parallel()
	of := func(code int) *channel.Error {
		return failureOf(channel.Channel{}, answerWith(http.StatusBadRequest, code, ""))
	}
	assert.Equal(t, 24*time.Hour, of(131049).RetryAfter)
	assert.True(t, of(131049).PerRecipient)
	assert.True(t, of(131056).PerRecipient)
	assert.False(t, of(130429).PerRecipient)
	assert.Equal(t, channel.Banned, of(131031).State)
	assert.Equal(t, channel.Banned, of(368).State)
	assert.Equal(t, channel.Disconnected, of(133010).State)
}

func TestUnknownCodesFollowTheStatus(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]channel.Kind{
		400: channel.BadContent, 200: channel.BadContent, 401: channel.Unauthorised, 429: channel.RateLimited, 500: channel.UnknownOutcome, 503: channel.Retryable,
	} {
		assert.Equal(t, kind, failureOf(channel.Channel{}, answerWith(status, 999999, "")).Kind, status)
	}
	assert.Equal(t, channel.Retryable, failureOf(channel.Channel{}, answerWith(500, 999999, `,"is_transient":true`)).Kind)
	for body, kind := range map[string]channel.Kind{`<html>`: channel.UnknownOutcome, `{"error":"x"}`: channel.UnknownOutcome, `{"error":{}}`: channel.UnknownOutcome} {
		assert.Equal(t, kind, failureOf(channel.Channel{}, &httpcall.Answer{Status: 500, Body: []byte(body)}).Kind, body)
	}
	assert.Nil(t, failureOf(channel.Channel{}, &httpcall.Answer{Status: 200, Body: []byte(`{"messages":[{"id":"wamid.x"}]}`)}))
}

func TestTemplatesTakePictureTextAndButton(t *testing.T) {
	t.Parallel()
	m := channel.Message{
		Recipient: "+584141234567", Body: "not sent", ImageURL: "https://x/r.png",
		Template: &channel.Template{Name: "codigo", Language: "es", Body: []string{"123456"}, Button: "123456"},
	}
	got, err := json.Marshal(bodyOf(m))
	require.NoError(t, err)
	assert.JSONEq(t, `{"messaging_product":"whatsapp","recipient_type":"individual","to":"584141234567","type":"template",
		"biz_opaque_callback_data":"00000000-0000-0000-0000-000000000000",
		"template":{"name":"codigo","language":{"code":"es"},"components":[
			{"type":"header","parameters":[{"type":"image","image":{"link":"https://x/r.png"}}]},
			{"type":"body","parameters":[{"type":"text","text":"123456"}]},
			{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"123456"}]}]}}`, string(got))
}
