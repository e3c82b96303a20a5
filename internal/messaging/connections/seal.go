package connections

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// sealContext binds the secrets to their row.
func sealContext(id uuid.UUID) string { return "messaging_connections " + id.String() }

func (s *Service) seal(id uuid.UUID, secret map[string]string) (string, error) {
	text, err := json.Marshal(secret)
	if err != nil {
		return "", fmt.Errorf("seal parameters: %w", err)
	}
	return s.Keys.Seal(text, sealContext(id))
}

// channelOf returns the channel of a row, with its secrets.
func (s *Service) channelOf(r *row) (channel.Channel, error) {
	text, err := s.Keys.Open(r.secrets, sealContext(r.ID))
	if err != nil {
		return channel.Channel{}, ErrUnreadable.WithCause(fmt.Errorf("connection %s: %w", r.ID, err))
	}
	all := map[string]string{}
	if err := json.Unmarshal(text, &all); err != nil {
		return channel.Channel{}, fmt.Errorf("connection %s: its secrets are not readable", r.ID)
	}
	maps.Copy(all, r.Parameters)
	return channel.Channel{ID: r.ID, Driver: r.Driver, Parameters: all}, nil
}
