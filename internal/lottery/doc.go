// Package lottery is the client of external lottery systems: it closes a draw there and fetches its result, by the
// adapter that the game's api_config describes. It has no database and takes no decisions; package draws decides
// about an answer.
//
// Data flow: Decode reads and validates api_config (config.go, check.go); a request is rendered from its templates
// (template.go, request.go); it is sent once, through the source's circuit breaker (call.go, circuit.go), and its
// answer is kept as Evidence; the draw's item is found in the document (document.go, answer.go) and its codes are
// translated (value.go).
//
// Invariants:
//   - Only the bases of the configuration and its allowed hosts are called, by https unless the address is this
//     machine's or private. The resolved address is checked when it is dialled, no redirect is followed, and
//     certificates are verified.
//   - A secret is sent to the base of its own source only. It is in no error and no evidence, not even when
//     the answer repeats it.
//   - Codes are text and kept as written: "0", "00" and "05" are three codes; a number with a sign, fraction or
//     exponent is not a code.
//   - A document with two readings is refused: no repeated key, no second item for the draw.
//   - Everything is bounded: sources, templates, time, answers, concurrent calls.
package lottery
