// Package evolution is the driver of the Evolution API, version 2 (https://doc.evolution-api.com/v2), a self-hosted
// WhatsApp gateway.
//
// The gateway answers nearly every failure with status 400 and a text, and some inside a 200, so the driver
// classifies by words of Evolution and of the WhatsApp library below it (result.go).
package evolution
