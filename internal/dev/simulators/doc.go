// Package simulators holds simulated external systems: real HTTP servers that speak the same protocols, for
// development and for tests. `banca-dev dev` runs them on loopback addresses only.
//
// Gateway is a messaging gateway that speaks four protocols:
//
//	Evolution API, version 2            header apikey
//	  POST /message/sendText/{instance}, /message/sendMedia/{instance}
//	  POST /instance/create, GET /instance/connect/{instance}, /instance/connectionState/{instance}
//	  DELETE /instance/logout/{instance}, /instance/delete/{instance}; POST /webhook/set/{instance}
//	WhatsApp Cloud API                  Authorization: Bearer
//	  POST /v23.0/{phone_number_id}/messages, GET /v23.0/{phone_number_id}
//	WAHA                                header X-Api-Key
//	  POST /api/sendText, /api/sendImage; GET /api/contacts/check-exists
//	  POST /api/sessions, GET, PUT and DELETE /api/sessions/{session}, POST .../start, .../restart, .../logout
//	  GET /api/{session}/auth/qr
//	the signed protocol of docs/messaging.md: POST /signed
//
// and has a page and switches of its own, each with JSON or a form:
//
//	GET  /                              accounts with their QR codes and buttons, and the messages as a telephone's chat
//	GET  /outbox?number=                delivered messages, newest first, as JSON
//	GET  /_accounts                     accounts, states and webhooks
//	POST /_scan {protocol, account, passkey}   scans the QR code; with passkey the account then wants one
//	POST /_break {protocol, account, state}    disconnected, banned, passkey_required or license_required
//	POST /_mend {protocol, account}            opens the account
//	POST /_webhook {protocol, account, url, secret, verify_token}   of the Cloud API and the signed protocol
//	POST /_say {protocol, account, from, text} a customer writes
//
// It calls the webhook of an account as the provider does, signed, when an account changes, a message is sent and
// delivered, or a customer writes.
//
// Lottery is an external lottery system:
//
//	POST /draws/{external_id}/close     closes the draw there; idempotent
//	GET  /draws?game=&date=             the draws of a day
//	GET  /results?game=&date=           results of past draws, with sign, flags and wildcard
//
// All of it exists twice, at / as the source "official" and at /mirror as the source "mirror", so that a game can
// have two sources. They agree unless a fault applies to one of them. A game may follow another: its result is then
// the last two digits of the other's draw of the same time.
//
// A result is a function of seed and draw, so that a restart changes none, and none can be known from outside before
// its draw. External ids are GAME-YYYYMMDD-HHMM in the lottery's local time.
//
// Rates is a source of daily exchange rates (internal/platform/exchange):
//
//	GET /rates?date=2026-11-23          the rates of a day: USD and EUR in VES; a rate moves by less than one percent a day
//
// Models is a provider of AI models (internal/platform/completion) which answer by rule, streamed or not:
//
//	POST /v1/chat/completions           OpenAI's protocol: calls the tool that the last question is about, then writes its results as a table
//
// All fail on demand: POST /_faults {"mode": "...", "times": n, "delay_ms": d} makes the next n calls fail, or all
// of them until the next setting if n is 0; GET /_faults returns the setting. Modes of the gateway:
//
//	ok                   works
//	400                  no such recipient
//	content              the content is refused; of WAHA: pictures are in the paid tier
//	needs_template       of the Cloud API: more than 24 hours since the customer wrote
//	error_in_200         an error with status 200
//	429                  too many requests, with Retry-After
//	recipient_limit      of the Cloud API: too many messages to one recipient
//	retryable            not now
//	channel_down         the account is not linked
//	auth                 the key is refused
//	503_license          the gateway has no licence
//	code                 of the Cloud API: the error "code"
//	502                  something before the gateway answers
//	redirect             answers 307 to an address of the metadata service
//	timeout              takes the request and does not answer; nothing is delivered
//	hang_after_delivery  delivers and does not answer
//	drop_after_write     delivers, then cuts the connection instead of answering
//	half_answer          delivers and answers half
//	garbage              delivers and answers a page with status 200
//	oversized            delivers and answers 2 MiB
//	late_failure         delivers; the webhook says later that it failed
//	doubled              delivers; the statuses come twice and out of order
//	no_status            delivers and calls no webhook
//
// "source": "evolution", "cloud", "waha" or "http" restricts a fault to one protocol.
//
// Modes of the lottery system:
//
//	ok             works
//	late           results appear delay_ms after their draw
//	silent         answers 503 to everything
//	wrong          results are of the neighbouring element
//	slow           every answer takes delay_ms
//	contradictory  the mirror returns the neighbouring element, the official system the right one
//
// Modes of the source of rates, each an answer that must not be stored:
//
//	ok              works
//	silent          answers 503
//	garbage         answers a page with status 200
//	negative        rates are negative
//	zero            rates are 0
//	huge            rates have 40 digits
//	jump            rates are ten times as high
//	wrong_currency  rates of other currencies
//	old             rates of a day a year ago
//	redirect        answers 302 to an address of the metadata service
//	slow            answers after delay_ms
//
// Modes of the models:
//
//	ok             works
//	429            too many requests, with Retry-After of delay_ms
//	429_array      the same as an array, with retryDelay
//	500, 401       that status
//	error_in_200   an error with status 200
//	empty          an answer without text
//	no_choices     an answer without choices
//	garbage        a page with status 200
//	hang           nothing, for delay_ms or two minutes
//	slow           works after delay_ms
//	broken_stream  ends after two words
//	silent_stream  is silent after two words
//	invents        adds a figure that no tool returned
//
// With "source" a fault of the models applies to the model of that name only. With "source": "official" or "mirror" a fault of the lottery applies to, and counts, the calls of that one only.
//
// Simplifications: messages are delivered at once and never read, any number of the Cloud API exists, and pictures are
// kept as the address they came with.
package simulators
