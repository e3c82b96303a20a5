package waha

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// The free tier sends no pictures: a text that says all is sent alone, and any other message fails.
func TestTheFreeTierGetsTheTextAlone(t *testing.T) {
	t.Parallel()
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/contacts/check-exists":
			_, _ = io.WriteString(w, `{"numberExists":true,"chatId":"584141234567@c.us"}`)
		case "/api/sendImage":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"message":"Sending media (image, video, pdf) is available only in Plus version.","statusCode":422}`)
		default:
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, string(body))
			_, _ = io.WriteString(w, `{"id":"true_584141234567@c.us_3EB0"}`)
		}
	}))
	t.Cleanup(server.Close)
	d := New(httpcall.New([]string{strings.TrimPrefix(server.URL, "http://")}, nil))
	c := channel.Channel{Driver: "waha", Parameters: map[string]string{"base_url": server.URL, "api_key": "k"}}
	m := channel.Message{ID: uuid.New(), Recipient: "+584141234567", Body: "Cierre", ImageURL: "https://objects.example/x.png"}
	_, err := d.Send(t.Context(), c, m)
	require.Equal(t, channel.BadContent, channel.AsError(err).Kind)
	require.Empty(t, sent)
	m.TextAlone = true
	receipt, err := d.Send(t.Context(), c, m)
	require.NoError(t, err)
	require.Equal(t, "3EB0", receipt.ProviderID)
	require.Len(t, sent, 1)
	require.Contains(t, sent[0], "Cierre")
}
