package completion

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAnswer: whatever a provider answers, whole or as a stream, is an answer or an error, and an answer has the text that was shown.
func FuzzAnswer(f *testing.F) {
	const whole = `{"choices":[{"message":{"role":"assistant","content":"36"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	const part = `data: {"choices":[{"delta":{"content":"36"},"finish_reason":null}]}` + "\n\n"
	const call = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	for _, body := range []string{"", "null", whole, `{"error":{"code":429}}`, `[{"error":{}}]`, `{"choices":[]}`, part, part + "data: [DONE]\n\n", call + "data: [DONE]\n\n", "data: {\n\n", ": x\n"} {
		f.Add(200, true, body)
		f.Add(200, false, body)
		f.Add(503, false, body)
	}
	f.Fuzz(func(t *testing.T, status int, streamed bool, body string) {
		shown := &strings.Builder{}
		a := &attempt{model: &Model{Name: "m"}, onText: func(text string) error { shown.WriteString(text); return nil }}
		res := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}}
		if streamed {
			res.Header.Set("Content-Type", "text/event-stream")
		}
		answer, err := a.read(res, io.LimitReader(strings.NewReader(body), 1<<20))
		if err != nil {
			require.Nil(t, answer)
			return
		}
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, answer.Text, shown.String())
		require.LessOrEqual(t, len(answer.Calls), maxCalls)
	})
}
