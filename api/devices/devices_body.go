package devices

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/devices"
)

// deviceInfo is a device's own description: any object.
type deviceInfo map[string]jsontext.Value

// Schema implements huma.SchemaProvider.
func (deviceInfo) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "Any object, such as the system and version of the application.", Examples: []any{map[string]any{"os": "Android 14"}}}
}

func (i deviceInfo) raw() []byte {
	if i == nil {
		return nil
	}
	raw, err := json.Marshal(map[string]jsontext.Value(i), json.Deterministic(true))
	if err != nil {
		return nil // cannot be: it was read a moment ago
	}
	return raw
}

// DeviceBody is a device in answers. There is no field for its fingerprint or key, so none can get out.
type DeviceBody struct {
	ID         uuid.UUID    `json:"id"`
	EntityID   uuid.UUID    `json:"entityId"`
	Name       string       `json:"name"`
	Status     string       `json:"status" enum:"active,blocked,suspended,inactive"`
	StatusAt   time.Time    `json:"status_at" doc:"since when"`
	Info       deviceInfo   `json:"info"`
	ConfigInfo deviceConfig `json:"config_info"`
	CreatedAt  time.Time    `json:"created_at"`
	UpdatedAt  time.Time    `json:"updated_at"`
}

type deviceConfig struct {
	Online     bool       `json:"online" doc:"connected, or validated just now"`
	SessionID  *uuid.UUID `json:"session_id" doc:"its active session; null for none"`
	LastSeenAt *time.Time `json:"last_seen_at"`
}

type newDevice struct {
	DeviceBody

	DeviceKey string `json:"device_key" doc:"secret; keep it on the device, it is not shown again"`
}

// DeviceSessionBody is a session of a device in answers.
type DeviceSessionBody struct {
	ID            uuid.UUID  `json:"id" doc:"sessionId of GET /ws"`
	DeviceID      uuid.UUID  `json:"deviceId"`
	EntityID      uuid.UUID  `json:"entityId"`
	UserID        uuid.UUID  `json:"userId"`
	UserSessionID uuid.UUID  `json:"user_session_id" doc:"the login it was made in, and ends with"`
	Status        string     `json:"status" enum:"active,suspended,inactive"`
	Online        bool       `json:"online"`
	ConnectionID  *uuid.UUID `json:"connection_id" doc:"null while it is not connected"`
	ConnectedAt   *time.Time `json:"connected_at" doc:"its last connection"`
	LastSeenAt    time.Time  `json:"last_seen_at"`
	CreatedAt     time.Time  `json:"created_at"`
	EndedAt       *time.Time `json:"ended_at"`
	EndReason     string     `json:"end_reason,omitempty" example:"replaced"`
}

type validatedSession struct {
	DeviceSessionBody

	Device DeviceBody  `json:"device"`
	Entity deviceOwner `json:"entity"`
}

// OwnerBody is an entity as a session names it.
type OwnerBody struct {
	ID         uuid.UUID `json:"id"`
	EntityType string    `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	Name       string    `json:"name"`
	Code       string    `json:"code"`
	Status     string    `json:"status" enum:"register,active,suspended,inactive"`
}

type deviceOwner struct {
	OwnerBody

	Parent *OwnerBody `json:"parent" doc:"null for the root"`
}

func deviceBody(d devices.Device) DeviceBody {
	info := deviceInfo{}
	if err := json.Unmarshal(d.Info, (*map[string]jsontext.Value)(&info)); err != nil {
		info = deviceInfo{} // cannot be: it is an object in the database
	}
	return DeviceBody{
		ID: d.ID, EntityID: d.EntityID, Name: d.Name, Status: d.Status, StatusAt: d.StatusAt, Info: info,
		ConfigInfo: deviceConfig{Online: d.Online, SessionID: kit.Optional(d.SessionID), LastSeenAt: kit.Optional(d.LastSeen)},
		CreatedAt:  d.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
}

func deviceSessionBody(s devices.Session) DeviceSessionBody {
	return DeviceSessionBody{
		ID: s.ID, DeviceID: s.DeviceID, EntityID: s.EntityID, UserID: s.UserID, UserSessionID: s.UserSessionID,
		Status: s.Status,
		Online: s.Online, ConnectionID: kit.Optional(s.ConnectionID), ConnectedAt: kit.Optional(s.ConnectedAt),
		LastSeenAt: s.LastSeen, CreatedAt: s.CreatedAt,
		EndedAt: kit.Optional(s.EndedAt), EndReason: s.EndReason,
	}
}

func validatedBody(v *devices.Validated) validatedSession {
	owner := func(p *devices.Place) OwnerBody {
		return OwnerBody{ID: p.ID, EntityType: p.Type, Name: p.Name, Code: p.Code, Status: p.Status}
	}
	body := validatedSession{
		DeviceSessionBody: deviceSessionBody(v.Session), Device: deviceBody(v.Device),
		Entity: deviceOwner{OwnerBody: owner(&v.Entity)},
	}
	if v.Entity.Parent != nil {
		parent := owner(v.Entity.Parent)
		body.Entity.Parent = &parent
	}
	return body
}
