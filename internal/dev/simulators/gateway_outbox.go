package simulators

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the stored messages; the oldest go first.
const (
	maxDelivered      = 1000
	maxDeliveredBytes = 32 << 20
)

// Delivered is a message that reached its recipient.
type Delivered struct {
	ID         string    `json:"id"`
	Number     string    `json:"number"` // as the caller wrote it, without a plus sign
	Type       string    `json:"type"`   // text or image
	Caption    string    `json:"caption"`
	MediaURL   string    `json:"media_url"` // an address, or a data: URL of what came as base64
	ReceivedAt time.Time `json:"received_at"`
	Protocol   string    `json:"protocol"`           // evolution, cloud, waha or http
	Account    string    `json:"account"`            // the instance, session or id of the number
	Ref        string    `json:"ref,omitempty"`      // the caller's own id, where the protocol has one
	Template   string    `json:"template,omitempty"` // its name
}

func (d Delivered) size() int { return len(d.Caption) + len(d.MediaURL) }

// delivered is the newest messages, oldest first.
type delivered struct {
	mu       sync.Mutex
	messages []Delivered
	bytes    int
}

func (d *delivered) add(m Delivered) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages = append(d.messages, m)
	d.bytes += m.size()
	for len(d.messages) > maxDelivered || d.bytes > maxDeliveredBytes {
		d.bytes -= d.messages[0].size()
		d.messages[0] = Delivered{} // the array behind the slice must not keep its picture
		d.messages = d.messages[1:]
	}
}

// to returns the messages to a number, or all of them, newest first. A plus sign makes no difference.
func (d *delivered) to(number string) []Delivered {
	number = strings.TrimPrefix(strings.TrimSpace(number), "+")
	d.mu.Lock()
	defer d.mu.Unlock()
	result := []Delivered{} // so that JSON shows an empty list
	for _, m := range slices.Backward(d.messages) {
		if number == "" || strings.TrimPrefix(m.Number, "+") == number {
			result = append(result, m)
		}
	}
	return result
}

// byRef finds the message of a protocol that has the caller's own id.
func (d *delivered) byRef(protocol, ref string) (m Delivered, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.messages, func(m Delivered) bool { return m.Protocol == protocol && m.Ref == ref })
	if i < 0 {
		return Delivered{}, false
	}
	return d.messages[i], true
}
