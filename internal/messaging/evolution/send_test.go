package evolution

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

const secret = "k3y-of-the-gateway"

func driver() *Driver { return New(httpcall.New([]string{"127.0.0.1", "no-such-host.invalid"}, nil)) }

func channelAt(base string) channel.Channel {
	return channel.Channel{Driver: "evolution", Parameters: map[string]string{"base_url": base, "instance": "mi banca", "api_key": secret}}
}

// answer returns a gateway with a fixed answer, and its last request.
func answer(t *testing.T, status int, body string) (channel.Channel, *http.Request, *map[string]string) {
	t.Helper()
	var asked http.Request
	var sent map[string]string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = *r
		raw, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, json.Unmarshal(raw, &sent))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // too long for the client
	}))
	t.Cleanup(server.Close)
	return channelAt(server.URL + "/"), &asked, &sent
}

func TestRequests(t *testing.T) {
	t.Parallel()
	c, asked, sent := answer(t, http.StatusCreated, `{"key":{"id":"3EB0","fromMe":true},"message":{"imageMessage":{}},"status":"PENDING"}`)
	id := uuid.New()
	receipt, err := driver().Send(t.Context(), c, channel.Message{ID: id, Recipient: "+584141234567", Body: "hola", ImageURL: "http://x/r.png"})
	require.NoError(t, err)
	assert.Equal(t, "3EB0", receipt.ProviderID)
	assert.Equal(t, "/message/sendMedia/mi%20banca", asked.URL.EscapedPath())
	assert.Equal(t, secret, asked.Header.Get("Apikey"))
	assert.Equal(t, map[string]string{"number": "584141234567", "mediatype": "image", "mimetype": "image/png",
		"media": "http://x/r.png", "caption": "hola", "fileName": id.String() + ".png"}, *sent)

	*sent = nil
	_, err = driver().Send(t.Context(), c, channel.Message{ID: id, Recipient: "+584141234567", Body: "hola"})
	require.NoError(t, err)
	assert.Equal(t, "/message/sendText/mi%20banca", asked.URL.EscapedPath())
	assert.Equal(t, map[string]string{"number": "584141234567", "text": "hola"}, *sent)
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status int
		kind   channel.Kind
	}{
		`{"status":400,"error":"Bad Request","response":{"message":[{"exists": false,"number":"584141234567"}]}}`: {400, channel.BadRecipient},
		`{"status":400,"error":"Bad Request","response":{"message":["Error: Connection Closed"]}}`:                {200, channel.ChannelDown},
		`{"status":500,"error":"Internal Server Error"}`:                                                          {200, channel.UnknownOutcome},
		`{"error":"rate-overlimit"}`:                                                    {201, channel.RateLimited},
		`{"status":400,"response":{"message":["Timed Out"]}}`:                           {400, channel.UnknownOutcome},
		`{"status":400,"response":{"message":["Owned media must be a url or base64"]}}`: {400, channel.BadContent},
		`{"status":404,"response":{"message":["The \"x\" instance does not exist"]}}`:   {404, channel.ChannelDown},
		`{"status":401,"error":"Unauthorized","response":{"message":"Unauthorized"}}`:   {401, channel.Unauthorised},
		`{"code":"LICENSE_REQUIRED"}`:                                                   {503, channel.ChannelDown},
		`upstream is restarting`:                                                        {503, channel.Retryable},
		`slow down`:                                                                     {429, channel.RateLimited},
		`<html>Bad Gateway</html>`:                                                      {502, channel.UnknownOutcome},
		`<html>Gateway Timeout</html>`:                                                  {504, channel.UnknownOutcome},
		`moved`:                                                                         {302, channel.ChannelDown},
		`too large`:                                                                     {413, channel.BadContent},
		`{"error":null}`:                                                                {200, channel.UnknownOutcome},
		`{"key":{}}`:                                                                    {201, channel.UnknownOutcome},
		`<html>welcome</html>`:                                                          {200, channel.UnknownOutcome},
		``:                                                                              {200, channel.UnknownOutcome},
		`{"message":"` + strings.Repeat("x", httpcall.MaxAnswer) + `","key":{"id":"beyond the bound"}}`: {200, channel.UnknownOutcome},
		`{"error":"the key ` + secret + ` of 584141234567 is refused"}`:                                 {403, channel.Unauthorised},
	} {
		c, _, _ := answer(t, want.status, body)
		_, err := driver().Send(t.Context(), c, channel.Message{Recipient: "+584141234567", Body: "x"})
		var failure *channel.Error
		require.ErrorAs(t, err, &failure, body)
		assert.Equal(t, want.kind, failure.Kind, body)
		assert.LessOrEqual(t, len(failure.Text), channel.MaxErrorText)
		assert.NotContains(t, failure.Text, "584141234567")
		assert.NotContains(t, failure.Text, secret)
	}
}

func TestItIsKnownWhetherTheRequestWasSent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kind := func(base string) channel.Kind {
		_, err := driver().Send(ctx, channelAt(base), channel.Message{Recipient: "+584141234567", Body: "x"})
		return channel.AsError(err).Kind
	}
	assert.Equal(t, channel.Retryable, kind("http://127.0.0.1:1"), "nobody listens")
	assert.Equal(t, channel.Retryable, kind("http://no-such-host.invalid"), "no such host")
	assert.Equal(t, channel.ChannelDown, kind("http://example.com"), "plain http")
	assert.Equal(t, channel.ChannelDown, kind("https://10.1.2.3"), "a private network")
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"key":`))
	}))
	defer half.Close()
	assert.Equal(t, channel.UnknownOutcome, kind(half.URL), "half an answer")
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body) // only then does the server notice that the client is gone
		assert.NoError(t, err)
		cancel()
		<-r.Context().Done()
	}))
	defer silent.Close()
	assert.Equal(t, channel.UnknownOutcome, kind(silent.URL), "written, and no answer")
}

func FuzzReceipt(f *testing.F) {
	f.Add(200, `{"key":{"id":"3EB0"}}`)
	f.Add(400, `{"status":400,"response":{"message":[{"exists":false}]}}`)
	f.Add(200, `{"status":"PENDING","error":null}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		got, err := receipt(channelAt("http://x"), &httpcall.Answer{Status: status, Body: []byte(body)})
		if err == nil {
			assert.NotEmpty(t, got.ProviderID)
			return
		}
		var failure *channel.Error
		require.ErrorAs(t, err, &failure)
		assert.NotEmpty(t, failure.Kind)
		assert.LessOrEqual(t, len(failure.Text), channel.MaxErrorText)
	})
}
