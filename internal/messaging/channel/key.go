package channel

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Key is the id of a delivery of a message, as providers get it: the id of the message, with a dot and the number from the second delivery on.
func (m *Message) Key() string {
	if m.Delivery <= 1 {
		return m.ID.String()
	}
	return m.ID.String() + "." + strconv.Itoa(m.Delivery)
}

// ParseKey reads Message.Key.
func ParseKey(key string) (id uuid.UUID, delivery int, ok bool) {
	text, number, numbered := strings.Cut(key, ".")
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, 0, false
	}
	if !numbered {
		return id, 1, true
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n < 2 || number[0] == '0' {
		return uuid.Nil, 0, false
	}
	return id, int(n), true
}
