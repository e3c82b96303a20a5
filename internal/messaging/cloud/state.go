package cloud

import (
	"context"
	"net/http"
	"net/url"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
)

// State implements channel.Driver: it reads the number, which proves token and id.
func (d *Driver) State(ctx context.Context, c channel.Channel) (channel.Link, error) {
	answer, err := d.do(ctx, c, httpcall.Call{Method: http.MethodGet, Query: url.Values{"fields": {"display_phone_number,status,quality_rating"}}})
	if err != nil {
		if failure := channel.AsError(err); failure.State != "" {
			return channel.Link{State: failure.State, Reason: failure.Text}, nil
		}
		return channel.Link{}, err
	}
	var number struct {
		Phone   string `json:"display_phone_number"` // with blanks and a plus sign
		Status  string `json:"status"`
		Quality string `json:"quality_rating"`
	}
	if !answer.Read(&number) {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	return channel.Link{State: stateOf(number.Status), Phone: channel.Phone(digits(number.Phone)), Reason: reasonOf(number.Status, number.Quality)}, nil
}

func stateOf(status string) channel.State {
	switch status {
	case "BANNED":
		return channel.Banned
	case "PENDING", "UNVERIFIED", "MIGRATED":
		return channel.Connecting
	case "DELETED", "DISCONNECTED":
		return channel.Disconnected
	default: // CONNECTED, FLAGGED, RESTRICTED and RATE_LIMITED numbers send, with limits
		return channel.Open
	}
}

func reasonOf(status, quality string) string {
	switch {
	case status != "" && status != "CONNECTED":
		return channel.Clean(status)
	case quality == "RED" || quality == "YELLOW":
		return channel.Clean(string(channel.Reasonf(channel.QualityIs, quality)))
	default:
		return ""
	}
}

// digits drops what a display number is written with.
func digits(text string) string {
	var out []rune
	for _, r := range text {
		if r >= '0' && r <= '9' {
			out = append(out, r)
		}
	}
	return string(out)
}
