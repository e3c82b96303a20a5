package completion

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is a message of a conversation as JSON.
type Message struct {
	Model string         // that wrote it; "" for ours
	Raw   jsontext.Value // an object, as it came
}

// wireMessage has the fields of a message that every provider knows.
type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content,omitzero"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Text returns a message of ours.
func Text(role, text string) Message { return ours(wireMessage{Role: role, Content: &text}) }

// ToolResult returns the result of a call.
func ToolResult(callID, result string) Message {
	return ours(wireMessage{Role: RoleTool, Content: &result, ToolCallID: callID})
}

func ours(m wireMessage) Message {
	raw, err := json.Marshal(m)
	if err != nil { // invalid UTF-8
		clean := strings.ToValidUTF8(*m.Content, "\uFFFD")
		m.Content = &clean
		raw, _ = json.Marshal(m)
	}
	return Message{Raw: raw}
}

// formFor returns a message for a model: as it came if the model wrote it, else its known fields, because a provider may refuse
// fields of another one.
func (m *Message) formFor(model string) (jsontext.Value, error) {
	if m.Model == "" || m.Model == model {
		return m.Raw, nil
	}
	var known wireMessage
	if err := json.Unmarshal(m.Raw, &known); err != nil {
		return nil, err
	}
	return json.Marshal(known)
}

// Tool is a function that a model may ask for.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"` // JSON Schema
}

// Call is a request of a model to run a tool. Its arguments are not checked.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Request is a conversation that a model continues.
type Request struct {
	Messages  []Message
	Tools     []Tool // none: the model must answer in text
	MaxTokens int    // of the answer
}

// Answer is what a model wrote: text, calls, or both.
type Answer struct {
	Message Message
	Text    string
	Calls   []Call
	Usage   Usage
}
