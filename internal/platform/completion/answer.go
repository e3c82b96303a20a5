package completion

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Reasons for which an answer ends that a caller can use.
const (
	finishStop  = "stop"
	finishCalls = "tool_calls"
	finishCall  = "function_call"
)

type wireAnswer struct {
	Choices []wireChoice `json:"choices"`
	Usage   *wireUsage   `json:"usage"`
}

type wireChoice struct {
	Index        int            `json:"index"`
	Message      jsontext.Value `json:"message"`
	Delta        jsontext.Value `json:"delta"`
	FinishReason *string        `json:"finish_reason"`
}

type wireUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
}

// readWhole reads an answer that is not streamed.
func (a *attempt) readWhole(header http.Header, body []byte) (*Answer, error) {
	if e := inner(header, body); e != nil {
		return nil, e
	}
	var w wireAnswer
	if err := json.Unmarshal(body, &w, jsontext.AllowDuplicateNames(true)); err != nil || len(w.Choices) == 0 || len(w.Choices[0].Message) == 0 {
		return nil, errProtocol
	}
	a.counted, a.received = w.Usage, len(w.Choices[0].Message)
	finish := ""
	if w.Choices[0].FinishReason != nil {
		finish = *w.Choices[0].FinishReason
	}
	answer, err := a.answer(w.Choices[0].Message, finish)
	if err != nil {
		return nil, err
	}
	return answer, a.show(answer.Text)
}

// answer checks a complete message.
func (a *attempt) answer(raw jsontext.Value, finish string) (*Answer, error) {
	var m wireMessage
	if err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true)); err != nil || len(m.ToolCalls) > maxCalls {
		return nil, errProtocol
	}
	out := &Answer{Message: Message{Model: a.model.Name, Raw: raw}}
	if m.Content != nil {
		out.Text = *m.Content
	}
	for _, call := range m.ToolCalls {
		if call.Function.Name == "" || len(call.Function.Arguments) > maxArgs {
			return nil, errProtocol
		}
		out.Calls = append(out.Calls, Call{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	switch {
	case finish != "" && finish != finishStop && finish != finishCalls && finish != finishCall:
		return nil, &Error{Kind: Cut}
	case strings.TrimSpace(out.Text) == "" && len(out.Calls) == 0:
		return nil, &Error{Kind: Empty}
	case len(out.Text) > maxText:
		return nil, errTooLarge
	}
	out.Usage = a.spent(true)
	return out, nil
}

// spent returns the tokens of an attempt: the provider's count, or else an estimate from the sent and received bytes.
// An attempt that received nothing took none, unless begun is set: the provider has begun to work on it.
func (a *attempt) spent(begun bool) Usage {
	const most = 100_000_000 // a larger count is an error of the provider
	if w := a.counted; w != nil && w.PromptTokens >= 0 && w.CompletionTokens >= 0 && w.PromptTokens < most && w.CompletionTokens < most && w.PromptTokens+w.CompletionTokens > 0 {
		return Usage{Input: w.PromptTokens, Output: w.CompletionTokens}
	}
	if !begun && a.received == 0 {
		return Usage{}
	}
	return Usage{Input: tokensOf(a.sent), Output: tokensOf(a.received), Estimated: true}
}
