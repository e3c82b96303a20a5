// Package waha is the driver of WAHA (https://waha.devlike.pro), a self-hosted WhatsApp gateway.
//
// Its engines differ in what they answer, and in the form of a message's id: it is true_584141234567@c.us_3EB0 in one
// place and 3EB0 in another, so the driver keeps the last part. Versions before 2026.6 send pictures in their paid tier
// only and answer 422 otherwise.
package waha
