package tasks_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/tasks"
)

func TestEveryKindHasAUsableSpec(t *testing.T) {
	t.Parallel()
	queues := map[string]bool{}
	for _, q := range tasks.Queues() {
		assert.Positive(t, q.Weight, q.Name)
		queues[q.Name] = true
	}
	for _, kind := range tasks.Kinds() {
		spec, ok := tasks.SpecOf(kind)
		require.True(t, ok, kind)
		assert.Regexp(t, `^[a-z]+\.[a-z_]+$`, kind)
		assert.True(t, queues[spec.Queue], "%s is in the unknown queue %q", kind, spec.Queue)
		assert.Positive(t, spec.MaxRetry, kind)
		assert.GreaterOrEqual(t, spec.Timeout, time.Second, kind)
		assert.Zero(t, spec.Timeout%time.Second, "%s: asynq stores whole seconds", kind)
		assert.LessOrEqual(t, spec.MaxDelay, 5*time.Minute, kind)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	t.Parallel()
	const id = `"11111111-2222-7333-8444-555555555555"`
	args, err := tasks.Decode[tasks.ReceiptRender]([]byte(`{"ticket_id":` + id + `}`))
	require.NoError(t, err)
	assert.Equal(t, tasks.ReceiptRender{TicketID: uuid.MustParse("11111111-2222-7333-8444-555555555555")}, args)
	for _, payload := range []string{
		``, `[]`, `"a"`, `{"ticket_id":1}`, `{"ticket_id":"a"}`, `{"ticket_id":` + id + `,"x":1}`, `{"ticket_id":` + id + `}{}`,
	} {
		_, err := tasks.Decode[tasks.ReceiptRender]([]byte(payload))
		assert.ErrorIs(t, err, tasks.ErrBadPayload, payload)
	}
}

type unknownArgs struct{}

func (unknownArgs) Spec() tasks.Spec { return tasks.Spec{Kind: "no.such"} }

func TestNewTask(t *testing.T) {
	t.Parallel()
	draw := uuid.New()
	task, err := tasks.NewTask(tasks.DrawClose{DrawID: draw})
	require.NoError(t, err)
	assert.Equal(t, "draw.close", task.Type())
	assert.JSONEq(t, `{"draw_id":"`+draw.String()+`"}`, string(task.Payload()))
	task, err = tasks.NewTask(tasks.DrawClose{})
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(task.Payload()), "a tick")

	_, err = tasks.NewTask(tasks.DrawSettle{})
	require.ErrorIs(t, err, tasks.ErrBadPayload, "an id is missing")
	_, err = tasks.NewTask(unknownArgs{})
	require.ErrorIs(t, err, tasks.ErrUnknownKind)
	_, err = tasks.FromPayload("no.such", []byte(`{}`), nil)
	require.ErrorIs(t, err, tasks.ErrUnknownKind)
	_, err = tasks.FromPayload("draw.close", []byte(`{"nonsense":true}`), nil)
	require.ErrorIs(t, err, tasks.ErrBadPayload)
}

func TestRetryDelayIsBounded(t *testing.T) {
	t.Parallel()
	for _, kind := range append(tasks.Kinds(), "no.such") {
		previous := time.Duration(0)
		for n := range 100 {
			delay := tasks.RetryDelay(n, kind)
			assert.GreaterOrEqual(t, delay, max(previous, time.Second), kind)
			assert.LessOrEqual(t, delay, 5*time.Minute, kind)
			previous = delay
		}
	}
	assert.Equal(t, 4*time.Second, tasks.RetryDelay(2, "message.send"))
}
