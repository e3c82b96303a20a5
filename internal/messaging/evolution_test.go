package messaging

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
)

// answer returns a gateway with a fixed answer, and its last request.
func answer(t *testing.T, status int, body string) (Channel, *http.Request, *map[string]string) {
	t.Helper()
	var asked http.Request
	var sent map[string]string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = *r
		raw, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, json.Unmarshal(raw, &sent))
		w.WriteHeader(status)
		_, err = w.Write([]byte(body))
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	return Channel{Driver: "evolution", BaseURL: server.URL + "/", Instance: "mi banca", APIKey: "k"}, &asked, &sent
}

func TestEvolutionRequests(t *testing.T) {
	t.Parallel()
	driver := NewEvolution(http.DefaultClient)
	channel, asked, sent := answer(t, http.StatusCreated, `{"key":{"id":"3EB0","fromMe":true},"message":{"imageMessage":{}},"status":"PENDING"}`)
	id := uuid.New()
	receipt, err := driver.Send(t.Context(), channel, Message{ID: id, Recipient: "+584141234567", Body: "hola", ImageURL: "http://x/r.png"})
	require.NoError(t, err)
	assert.Equal(t, "3EB0", receipt.ProviderID)
	assert.Equal(t, "/message/sendMedia/mi%20banca", asked.URL.EscapedPath())
	assert.Equal(t, "k", asked.Header.Get("Apikey"))
	assert.Equal(t, map[string]string{"number": "584141234567", "mediatype": "image", "mimetype": "image/png",
		"media": "http://x/r.png", "caption": "hola", "fileName": id.String() + ".png"}, *sent)

	*sent = nil
	_, err = driver.Send(t.Context(), channel, Message{ID: id, Recipient: "+584141234567", Body: "hola"})
	require.NoError(t, err)
	assert.Equal(t, "/message/sendText/mi%20banca", asked.URL.EscapedPath())
	assert.Equal(t, map[string]string{"number": "584141234567", "text": "hola"}, *sent)
}

func TestEvolutionAnswers(t *testing.T) {
	t.Parallel()
	for body, c := range map[string]struct {
		status int
		kind   ErrorKind
	}{
		`{"status":400,"error":"Bad Request","response":{"message":[{"exists": false,"number":"584141234567"}]}}`: {400, BadRecipient},
		`{"status":400,"error":"Bad Request","response":{"message":["Error: Connection Closed"]}}`:                {200, ChannelDown},
		`{"status":500,"error":"Internal Server Error"}`:                                                          {200, UnknownOutcome},
		`{"error":"rate-overlimit"}`:                                                    {201, RateLimited},
		`{"status":400,"response":{"message":["Timed Out"]}}`:                           {400, UnknownOutcome},
		`{"status":400,"response":{"message":["Owned media must be a url or base64"]}}`: {400, BadContent},
		`{"status":404,"response":{"message":["The \"x\" instance does not exist"]}}`:   {404, ChannelDown},
		`{"status":401,"error":"Unauthorized","response":{"message":"Unauthorized"}}`:   {401, Unauthorised},
		`{"code":"LICENSE_REQUIRED"}`:                                                   {503, ChannelDown},
		`upstream is restarting`:                                                        {503, Retryable},
		`slow down`:                                                                     {429, RateLimited},
		`<html>Bad Gateway</html>`:                                                      {502, UnknownOutcome},
		`<html>Gateway Timeout</html>`:                                                  {504, UnknownOutcome},
		`moved`:                                                                         {302, ChannelDown},
		`too large`:                                                                     {413, BadContent},
		`{"error":null}`:                                                                {200, UnknownOutcome},
		`{"key":{}}`:                                                                    {201, UnknownOutcome},
		`<html>welcome</html>`:                                                          {200, UnknownOutcome},
		``:                                                                              {200, UnknownOutcome},
		`{"message":"` + strings.Repeat("x", maxReply) + `","key":{"id":"beyond our patience"}}`: {200, UnknownOutcome},
	} {
		channel, _, _ := answer(t, c.status, body)
		_, err := NewEvolution(http.DefaultClient).Send(t.Context(), channel, Message{Recipient: "+584141234567", Body: "x"})
		var failure *Error
		require.ErrorAs(t, err, &failure, body)
		assert.Equal(t, c.kind, failure.Kind, body)
		assert.LessOrEqual(t, len(failure.Text), maxErrorText)
		assert.NotContains(t, failure.Text, "584141234567")
	}
}

func TestEvolutionReportsWhetherTheRequestWasSent(t *testing.T) {
	t.Parallel()
	driver := NewEvolution(http.DefaultClient)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	kind := func(base string) ErrorKind {
		_, err := driver.Send(ctx, Channel{BaseURL: base, Instance: "x"}, Message{Recipient: "+584141234567", Body: "x"})
		return asError(err).Kind
	}
	assert.Equal(t, Retryable, kind("http://127.0.0.1:1"), "nobody listens")
	assert.Equal(t, Retryable, kind("http://no-such-host.invalid"), "no such host")
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"key":`))
	}))
	defer half.Close()
	assert.Equal(t, UnknownOutcome, kind(half.URL), "half an answer")
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body) // only then does the server notice that the client is gone
		assert.NoError(t, err)
		giveUp()
		<-r.Context().Done()
	}))
	defer silent.Close()
	assert.Equal(t, UnknownOutcome, kind(silent.URL), "written, and no answer")
}

func FuzzEvolutionResult(f *testing.F) {
	f.Add(200, `{"key":{"id":"3EB0"}}`)
	f.Add(400, `{"status":400,"response":{"message":[{"exists":false}]}}`)
	f.Add(200, `{"status":"PENDING","error":null}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		receipt, err := evolutionResult(status, 0, []byte(body))
		if err == nil {
			assert.NotEmpty(t, receipt.ProviderID)
			return
		}
		var failure *Error
		require.ErrorAs(t, err, &failure)
		assert.NotEmpty(t, failure.Kind)
		assert.LessOrEqual(t, len(failure.Text), maxErrorText)
	})
}
