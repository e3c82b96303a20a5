// Package lottery is the client of external lottery systems: it ends a draw there and fetches its result, by
// the adapter that the game's api_config describes. It has no database and decides nothing; what becomes of
// an answer is the draws' business.
//
// How an answer comes about: Decode reads and checks api_config (config.go, check.go); a request is rendered
// from its templates (template.go, request.go); it is made once, through the source's circuit (call.go,
// circuit.go), and its answer is kept as Evidence; the draw's item is found in the document (document.go,
// answer.go) and its codes are translated (value.go).
//
// Invariants:
//   - Only the bases of the configuration and its allowed hosts are called, by https unless the address is this
//     machine's or a private number. The resolved address is checked when it is dialled, no redirect is
//     followed, and certificates are verified.
//   - A secret leaves for the base of its own source only. It is in no error and no evidence, not even when
//     the answer repeats it.
//   - Codes are text and kept as written: "0", "00" and "05" are three codes, a number that is no plain one is none.
//   - A document that can be read in two ways is not read: no repeated key, no second item for the draw.
//   - Everything is bounded: sources, templates, time, answers, calls at the same time.
package lottery
