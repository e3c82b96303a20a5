package completion

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type wireRequest struct {
	Model         string           `json:"model"`
	Messages      []jsontext.Value `json:"messages"`
	Tools         []wireTool       `json:"tools,omitempty"`
	MaxTokens     int              `json:"max_tokens,omitzero"`
	Temperature   int              `json:"temperature"` // 0: figures, not prose
	Stream        bool             `json:"stream,omitzero"`
	StreamOptions *streamOptions   `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function Tool   `json:"function"`
}

// encode returns the body of a request to a model.
func encode(m *Model, r *Request) ([]byte, error) {
	w := wireRequest{Model: m.ID, MaxTokens: r.MaxTokens, Stream: !m.Whole}
	if w.Stream {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	for i := range r.Messages {
		raw, err := r.Messages[i].formFor(m.Name)
		if err != nil {
			return nil, err
		}
		w.Messages = append(w.Messages, raw)
	}
	for _, tool := range r.Tools {
		w.Tools = append(w.Tools, wireTool{Type: "function", Function: tool})
	}
	return json.Marshal(w)
}

// estimate returns the maximum of tokens of an attempt: its body and the longest answer.
func estimate(body []byte, r *Request) int64 { return tokensOf(len(body)) + int64(r.MaxTokens) }

// tokensOf estimates the tokens of a text from its bytes.
func tokensOf(bytes int) int64 { return int64((bytes + bytesToken - 1) / bytesToken) }

// newRequest returns the HTTP request of an attempt.
func newRequest(ctx context.Context, m *Model, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(
		ctx, http.MethodPost, strings.TrimRight(m.URL, "/")+"/chat/completions", bytes.NewReader(body),
	)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if m.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.Key)
	}
	return req, nil
}
