package messages

import (
	"banca/models"
	"banca/web/kit"
)

// codes are the codes of errors of messages in the order of the filter.
func codes() []string {
	return []string{
		"RECIPIENT", "CONTENT", "NEEDS_TEMPLATE", "RETRYABLE", "RATE_LIMITED", "CHANNEL_DOWN", "AUTH", "UNKNOWN_OUTCOME", "LEASE_EXPIRED", "TICKET_CANCELLED", "TICKET_NOT_WON", "REPLACED", "OPTED_OUT", "TOO_OLD",
	}
}

func codeOptions(r *kit.Request) []kit.Option { return r.Options("message.code.", codes()...) }

// codeText is what an error code means.
func codeText(v *kit.View, code string) string {
	key := "message.code." + code
	if text := v.T(key); text != key {
		return text
	}
	return v.T("message.code.other", code)
}

// advice is what a person can do about an error code.
func advice(v *kit.View, code string) string {
	key := "message.do." + code
	if text := v.T(key); text != key {
		return text
	}
	return v.T("message.do.other")
}

// resendable reports whether messages of a status can be sent again.
func resendable(status string) bool {
	return status == models.MessageFailed || status == models.MessageUnknown
}
