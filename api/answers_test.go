package api

import (
	"time"

	"github.com/google/uuid"
)

// The parts of answers that the tests read.
type (
	session struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		ClientToken  string `json:"client_token"`
	}
	userSession struct {
		ID       uuid.UUID `json:"id"`
		UserID   uuid.UUID `json:"userId"`
		Current  bool      `json:"current"`
		UserName string    `json:"user_name"`
	}
	user struct {
		ID uuid.UUID `json:"id"`
	}
	entity struct {
		ID uuid.UUID `json:"id"`
	}
	logEntry struct {
		ID       uuid.UUID  `json:"id"`
		UserID   *uuid.UUID `json:"userId"`
		UserName string     `json:"user_name"`
	}
	document struct {
		ID          uuid.UUID `json:"id"`
		Name        string    `json:"name"`
		ContentType string    `json:"content_type"`
		Size        int       `json:"size"`
		Width       *int      `json:"width"`
		URL         string    `json:"url"`
		ExpiresAt   time.Time `json:"expires_at"`
	}
	newDevice struct {
		ID        uuid.UUID `json:"id"`
		DeviceKey string    `json:"device_key"`
	}
	validatedSession struct {
		ID     uuid.UUID `json:"id"`
		Device struct {
			ConfigInfo struct {
				Online bool `json:"online"`
			} `json:"config_info"`
		} `json:"device"`
		Entity struct {
			ID     uuid.UUID `json:"id"`
			Parent *struct {
				ID uuid.UUID `json:"id"`
			} `json:"parent"`
		} `json:"entity"`
	}
)
