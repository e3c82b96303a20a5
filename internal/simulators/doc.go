// Package simulators holds simulated external systems: real HTTP servers that speak the same protocols, for
// development and for tests. `banca-dev dev` runs them on loopback addresses only.
//
// Gateway is a messaging gateway that speaks a part of the Evolution API, version 2:
//
//	POST /message/sendText/{instance}   {number, text}                      header apikey
//	POST /message/sendMedia/{instance}  {number, mediatype, media, caption, ...}
//	GET  /instance/connectionState/{instance}
//	GET  /outbox?number=                delivered messages, newest first, as JSON
//	GET  /                              the same as a telephone's chat
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
// Rates is a source of daily exchange rates (internal/exchange):
//
//	GET /rates?date=2026-11-23          the rates of a day: USD and EUR in VES; a rate moves by less than one percent a day
//
// All fail on demand: POST /_faults {"mode": "...", "times": n, "delay_ms": d} makes the next n calls fail, or all
// of them until the next setting if n is 0; GET /_faults returns the setting. Modes of the gateway:
//
//	ok                works
//	400               no such recipient, as status 400
//	error_in_200      the link to WhatsApp is closed, as status 200
//	429               too many requests, with Retry-After
//	503_license       the gateway has no licence
//	timeout           takes the request and does not answer; nothing is delivered
//	drop_after_write  delivers, then cuts the connection instead of answering
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
// With "source": "official" or "mirror" a fault of the lottery applies to, and counts, the calls of that one only.
//
// Simplifications: messages are delivered at once and never read, there is one account, and pictures are kept as the
// address they came with.
package simulators
