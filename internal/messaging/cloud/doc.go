// Package cloud is the driver of the WhatsApp Cloud API
// (https://developers.facebook.com/documentation/business-messaging/whatsapp).
//
// Errors are classified by their code (codes.go), as Meta asks for: statuses and titles change. A message that
// was accepted may fail minutes later by webhook with the same codes.
package cloud
