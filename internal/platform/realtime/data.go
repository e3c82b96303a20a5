package realtime

import (
	"time"

	"github.com/google/uuid"
)

// Payload is the data of an event. The types of this file are the only ones, so that the AsyncAPI document, which is
// built from [Payloads], describes every event and every field.
type Payload interface{ event() string }

// Payloads returns an empty payload of each event.
func Payloads() []Payload {
	return []Payload{Terminated{}, ClosedDraw{}, PublishedResult{}, UpdatedTicket{}, ChangedLimits{}, UpdatedMessage{}}
}

// NameOf returns the name of the event that a payload belongs to.
func NameOf(p Payload) string { return p.event() }

// EventOf returns the event of a payload with a new id.
func EventOf(at time.Time, p Payload) Event { return NewEvent(p.event(), at, p) }

// Terminated is the data of session.terminated.
type Terminated struct {
	SessionID       uuid.UUID `json:"session_id,omitzero" doc:"user session that ended"`
	DeviceSessionID uuid.UUID `json:"device_session_id,omitzero" doc:"device session that ended"`
	Reason          string    `json:"reason" doc:"why, such as logout, expired, replaced or device_blocked" example:"device_blocked"`
}

// ClosedDraw is the data of draw.closed.
type ClosedDraw struct {
	DrawID   uuid.UUID `json:"draw_id"`
	GameID   uuid.UUID `json:"game_id"`
	Number   string    `json:"draw_number"`
	ClosedAt time.Time `json:"closed_at,omitzero" doc:"stop of the draw; not of a suspended draw"`
	Status   string    `json:"status,omitempty" doc:"suspended if the draw will not be held, otherwise missing" enum:"suspended"`
}

// PublishedResult is the data of result.published.
type PublishedResult struct {
	DrawID   uuid.UUID `json:"draw_id"`
	GameID   uuid.UUID `json:"game_id"`
	Number   string    `json:"draw_number"`
	ResultID uuid.UUID `json:"result_id"`
	Version  int       `json:"version" doc:"1, or more for a correction" minimum:"1"`
	Value    string    `json:"value" doc:"code of the element or digits" example:"042"`
	Sign     string    `json:"sign,omitempty" example:"LEO"`
	Wildcard string    `json:"wildcard,omitempty"`
	Flags    []string  `json:"flags,omitempty" nullable:"false"`
}

// UpdatedTicket is the data of ticket.updated. Devices of users without access to the validation code receive it, too,
// so it has no address of the picture.
type UpdatedTicket struct {
	TicketID uuid.UUID `json:"ticket_id"`
	Status   string    `json:"status" enum:"pending,won,lost,cancelled,paid,expired"`
}

// ChangedLimits is the data of limits.changed.
type ChangedLimits struct {
	EntityID uuid.UUID `json:"entityId" doc:"entity whose limits changed"`
	DrawID   uuid.UUID `json:"draw_id,omitzero" doc:"draw that the limit or block names, if it names one"`
}

// UpdatedMessage is the data of message.updated.
type UpdatedMessage struct {
	MessageID uuid.UUID `json:"message_id"`
	Status    string    `json:"status" enum:"queued,sent,delivered,read,failed,unknown"`
}

func (Terminated) event() string      { return SessionTerminated }
func (ClosedDraw) event() string      { return DrawClosed }
func (PublishedResult) event() string { return ResultPublished }
func (UpdatedTicket) event() string   { return TicketUpdated }
func (ChangedLimits) event() string   { return LimitsChanged }
func (UpdatedMessage) event() string  { return MessageUpdated }
