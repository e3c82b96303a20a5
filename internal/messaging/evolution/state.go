package evolution

import (
	"context"
	"net/http"

	"banca/internal/messaging/channel"
)

// State implements channel.Driver.
func (d *Driver) State(ctx context.Context, c channel.Channel) (channel.Link, error) {
	if err := channel.Usable(d, c); err != nil {
		return channel.Link{}, err
	}
	answer, err := d.client.Do(ctx, c, d.call(c, http.MethodGet, nil, "instance", "connectionState", c.Get(channel.ParamInstance)))
	if err != nil {
		return channel.Link{}, err
	}
	if !answer.OK() {
		return linkOf(failed(c, &answer, answer.Status))
	}
	var body struct {
		Instance struct {
			State string `json:"state"`
		} `json:"instance"`
	}
	if !answer.Read(&body) || body.Instance.State == "" {
		return channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: answer.Text(c)}
	}
	return channel.Link{State: stateOf(body.Instance.State)}, nil
}

// linkOf returns the state that a failure tells of, or the failure.
func linkOf(failure *channel.Error) (channel.Link, error) {
	if failure.State == "" {
		return channel.Link{}, failure
	}
	return channel.Link{State: failure.State, Reason: failure.Text}, nil
}

// stateOf translates the library's states.
func stateOf(state string) channel.State {
	switch state {
	case "open":
		return channel.Open
	case "connecting":
		return channel.Connecting
	default: // close
		return channel.Disconnected
	}
}
