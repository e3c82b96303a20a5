package simulators

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/assistant"
	"banca/internal/platform/clock"
)

// Modes of the simulated models, see the package's documentation.
const (
	ModelsOK          = "ok"
	ModelsLimited     = "429"
	ModelsLimitedList = "429_array"
	ModelsError       = "500"
	ModelsRefused     = "401"
	ModelsErrorIn200  = "error_in_200"
	ModelsEmpty       = "empty"
	ModelsNoChoices   = "no_choices"
	ModelsGarbage     = "garbage"
	ModelsHang        = "hang"
	ModelsBroken      = "broken_stream"
	ModelsSilent      = "silent_stream"
	ModelsSlow        = "slow"
	ModelsInvents     = "invents"
)

// ModelsConfig configures NewModels.
type ModelsConfig struct {
	Clock clock.Clock
	Zone  *time.Location // of days; UTC if nil
	Games []string       // names that questions may mention
	Names []string       // of the models, the sources of faults
	Key   string         // that calls must send; "" for none
}

// Models is a provider of AI models which answer by rule.
type Models struct {
	config ModelsConfig
	faults *faults
	mux    *http.ServeMux
}

// NewModels returns a provider that works.
func NewModels(config ModelsConfig) *Models {
	m := &Models{config: config, mux: http.NewServeMux(), faults: newFaults(ModelsModes()...)}
	m.faults.sources = config.Names
	if m.config.Zone == nil {
		m.config.Zone = time.UTC
	}
	m.mux.HandleFunc("POST /v1/chat/completions", m.complete)
	m.faults.routes(m.mux)
	return m
}

// ModelsModes returns the modes in which the models misbehave.
func ModelsModes() []string {
	return []string{
		ModelsLimited, ModelsLimitedList, ModelsError, ModelsRefused, ModelsErrorIn200, ModelsEmpty, ModelsNoChoices,
		ModelsGarbage, ModelsHang, ModelsBroken, ModelsSilent, ModelsSlow, ModelsInvents,
	}
}

// ServeHTTP implements http.Handler.
func (m *Models) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

// SetFault does what POST /_faults does and reports whether there is such a mode.
func (m *Models) SetFault(fault Fault) bool { return m.faults.set(fault) }

// chatRequest has the used fields of a call.
type chatRequest struct {
	Model    string         `json:"model"`
	Messages []modelMessage `json:"messages"`
	Tools    []chatTool     `json:"tools"`
	Stream   bool           `json:"stream"`
}

type modelMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
}

type chatTool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// chatCall is a call of a tool that an answer asks for.
type chatCall struct {
	Name string
	Args map[string]any
}

// chatAnswer is text or calls.
type chatAnswer struct {
	Text  string
	Calls []chatCall
}

func (m *Models) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var req chatRequest
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil || len(req.Messages) == 0 {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "the body is not a request"}})
		return
	}
	fault := m.faults.takeFor(req.Model)
	if m.config.Key != "" && r.Header.Get("Authorization") != "Bearer "+m.config.Key {
		fault.Mode = ModelsRefused
	}
	if m.fail(w, r, fault) {
		return
	}
	answer := m.answer(&req)
	if fault.Mode == ModelsInvents && answer.Text != "" {
		answer.Text += "\n\nTotal: 987.654,32"
	}
	out := &chatWriter{w: w, model: req.Model, answer: answer, in: len(body), at: m.config.Clock.Now()}
	if !req.Stream {
		out.whole()
		return
	}
	out.stream(r, fault.Mode)
}

// fail answers a call with a fault and reports whether it did.
func (m *Models) fail(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	seconds := max(fault.DelayMS/1_000, 1)
	problem := func(status int, code any, message string) {
		writeJSON(w, status, map[string]any{"error": map[string]any{"code": code, "message": message}})
	}
	switch fault.Mode {
	case ModelsLimited:
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		problem(http.StatusTooManyRequests, "rate_limit_exceeded", "too many requests")
	case ModelsLimitedList:
		writeJSON(w, http.StatusTooManyRequests, []any{map[string]any{"error": map[string]any{
			"code": http.StatusTooManyRequests, "status": "RESOURCE_EXHAUSTED", "details": []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": strconv.Itoa(seconds) + "s"}},
		}}})
	case ModelsError:
		problem(http.StatusInternalServerError, nil, "internal error")
	case ModelsRefused:
		problem(
			http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization"),
		)
	case ModelsErrorIn200:
		problem(http.StatusOK, http.StatusServiceUnavailable, "the model is overloaded")
	case ModelsEmpty:
		writeJSON(w, http.StatusOK, map[string]any{"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": ""}}}})
	case ModelsNoChoices:
		writeJSON(w, http.StatusOK, map[string]any{"choices": []any{}})
	case ModelsGarbage:
		_, _ = io.WriteString(w, "<html>maintenance</html>") // an error means that the client is gone
	case ModelsHang:
		delay := fault.delay()
		if delay == 0 {
			delay = maxFaultDelay
		}
		_ = clock.Sleep(r.Context(), delay)
		problem(http.StatusGatewayTimeout, nil, "timeout")
	case ModelsSlow:
		_ = clock.Sleep(r.Context(), fault.delay())
		return false
	default:
		return false
	}
	return true
}

// chatWriter writes an answer in the shapes of the protocol.
type chatWriter struct {
	w      http.ResponseWriter
	model  string
	answer chatAnswer
	in     int // bytes of the request
	at     time.Time
}

func (c *chatWriter) calls() []any {
	var out []any
	for i, call := range c.answer.Calls {
		args, _ := json.Marshal(call.Args, json.Deterministic(true)) // a map of texts and numbers
		out = append(out, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", c.at.UnixNano(), i), "type": "function",
			"function":      map[string]any{"name": call.Name, "arguments": string(args)},
			"extra_content": map[string]any{"google": map[string]any{"thought_signature": "c2lnbmF0dXJl"}},
		})
	}
	return out
}

func (c *chatWriter) finish() string {
	if len(c.answer.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (c *chatWriter) usage() map[string]any {
	const bytesToken = 4
	return map[string]any{
		"prompt_tokens":     c.in/bytesToken + 1,
		"completion_tokens": len(c.answer.Text)/bytesToken + 20*len(c.answer.Calls) + 1,
	}
}

func (c *chatWriter) whole() {
	message := map[string]any{"role": "assistant", "content": c.answer.Text}
	if calls := c.calls(); calls != nil {
		message["content"], message["tool_calls"] = nil, calls
	}
	writeJSON(c.w, http.StatusOK, map[string]any{
		"id": "sim", "object": "chat.completion", "model": c.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": c.finish()}},
		"usage":   c.usage(),
	})
}

// stream writes the answer word by word.
func (c *chatWriter) stream(r *http.Request, mode string) {
	c.w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any, more map[string]any) {
		event := map[string]any{
			"id": "sim", "object": "chat.completion.chunk", "model": c.model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}
		maps.Copy(event, more)
		raw, _ := json.Marshal(event) // maps of texts and numbers
		_, _ = io.WriteString(c.w, "data: "+string(raw)+"\n\n")
		if f, ok := c.w.(http.Flusher); ok {
			f.Flush()
		}
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil, nil)
	if calls := c.calls(); calls != nil {
		send(map[string]any{"tool_calls": calls}, nil, nil)
	}
	words := strings.SplitAfter(c.answer.Text, " ")
	for i, word := range words {
		if c.answer.Text == "" || r.Context().Err() != nil {
			break
		}
		if i >= 2 && mode == ModelsBroken {
			return
		}
		if i >= 2 && mode == ModelsSilent {
			_ = clock.Sleep(r.Context(), maxFaultDelay)
			return
		}
		send(map[string]any{"content": word}, nil, nil)
	}
	send(map[string]any{}, c.finish(), map[string]any{"usage": c.usage()})
	_, _ = io.WriteString(c.w, "data: [DONE]\n\n")
}

// before returns the question before the last one; "" for none.
func (r *chatRequest) before() string {
	questions := []string{"", ""}
	for i := range r.Messages {
		if m := &r.Messages[i]; m.Role == "user" && m.Content != nil {
			questions = append(questions, *m.Content)
		}
	}
	return questions[len(questions)-2]
}

// results returns the last question of a conversation, and the results of tools after it.
func (r *chatRequest) results() (question string, results []assistant.Result) {
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Content == nil {
			continue
		}
		switch m.Role {
		case "user":
			question, results = *m.Content, nil
		case "tool":
			var one assistant.Result
			if json.Unmarshal([]byte(*m.Content), &one, jsontext.AllowInvalidUTF8(true)) == nil {
				results = append(results, one)
			}
		}
	}
	return question, results
}
