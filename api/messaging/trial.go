package messaging

import (
	"context"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/platform/caller"
)

type updateConnectionInput struct {
	kit.ByID
	Body struct {
		Name       string            `json:"name,omitempty" maxLength:"100"`
		PerMinute  int               `json:"per_minute,omitempty" minimum:"1" maximum:"6000" doc:"messages"`
		Parameters map[string]string `json:"parameters,omitempty" doc:"those to replace, by the names that the driver lists"`
	}
}

func (o *operations) updateConnection(
	ctx context.Context, by caller.Caller, in *updateConnectionInput,
) (*kit.Data[connection], error) {
	to := connections.Settings{Name: in.Body.Name, PerMinute: in.Body.PerMinute, Parameters: in.Body.Parameters}
	return connectionData(o.connections.Update(ctx, by, in.ID, &to))
}

type testConnectionInput struct {
	kit.OnceByID
	Body struct {
		Recipient string `json:"recipient" maxLength:"20" doc:"in E.164 form" example:"+584141234567"`
		Language  string `json:"language,omitempty" enum:"es,en" doc:"of the text; es without it"`
	}
}

type queuedTest struct {
	LogID uuid.UUID `json:"log_id" doc:"of the message"`
}

func (o *operations) testConnection(
	ctx context.Context, by caller.Caller, in *testConnectionInput,
) (*kit.CreatedOnce[queuedTest], error) {
	c, err := o.connections.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	id, again, err := o.messages.SendTest(ctx, by, &messaging.Test{EntityID: c.EntityID, Recipient: in.Body.Recipient, Language: in.Body.Language, Key: in.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(queuedTest{LogID: id}, o.BasePath+logsPath+"/"+id.String(), again), nil
}
