// Package completion calls AI models by the chat completions protocol of OpenAI, which most providers speak, over net/http.
//
// Client makes one attempt at one model: it bounds the time to the first byte, the silence between two bytes, the whole call and the
// size of the answer, and returns an *Error that says why there is no answer. It takes as failed what libraries take as an answer: an error inside a
// status 200, no choices, an empty or a cut answer, a stream that breaks off.
//
// Chain tries up to eight models in the configured order. A failed model cools down for all processes (Redis), for as long as its Retry-After says.
//
// Invariants:
//   - There is one retry loop, the one of Chain, and it tries a model once.
//   - After the first text was shown, no other model continues the answer.
//   - A message of a model is sent back to that model as it came, unknown fields included; another model gets its known fields only.
//   - No key, address or text of a provider is in an error or in the log.
package completion
