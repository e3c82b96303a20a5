// Package channel is the interface to providers of messages: what a driver takes, what it answers, and what its errors
// mean. It has no database; internal/messaging keeps messages and connections in its terms.
//
// Rules of a driver:
//   - Send makes exactly one attempt. It never repeats a request, and follows no redirect.
//   - Every error of a driver is an *Error. Its kind follows from how far the request got: before it was written the
//     provider cannot have accepted it, afterwards only its answer can tell, and without one the outcome is unknown.
//   - No error, answer or log holds a secret of the channel or a whole telephone number: Channel.Clean.
//   - A driver validates the parameters of a channel before each call.
//   - A webhook is verified over the raw body before it is parsed. Reports may arrive twice and out of order: the
//     caller moves a status forward only.
package channel
