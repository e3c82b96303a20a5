package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hibiken/asynq"
)

// Errors of a task that cannot be understood. Neither heals by trying again in the same release.
var (
	ErrUnknownKind = errors.New("tasks: unknown kind")
	ErrBadPayload  = errors.New("tasks: payload does not match its kind")
)

// nilID is the text of an id that was not set. A struct leaves an optional one out.
const nilID = `"00000000-0000-0000-0000-000000000000"`

// Args is the argument struct of one kind of task.
type Args interface {
	// Spec returns the name of the kind, and how its tasks are queued and bounded. It does not depend on the arguments.
	Spec() Spec
}

// Encode returns the payload of args. A kind that is not in the table is refused here, where the mistake
// is made, and not first by the relay.
func Encode(args Args) ([]byte, error) {
	kind := args.Spec().Kind
	if _, ok := byKind()[kind]; !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownKind, kind)
	}
	payload, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("tasks: encode %s: %w", kind, err)
	}
	if bytes.Contains(payload, []byte(nilID)) {
		return nil, fmt.Errorf("%w: %s: an id is missing", ErrBadPayload, kind)
	}
	return payload, nil
}

// Decode reads a payload into its arguments. It is strict: a field that T does not have, or anything
// behind the object, means that writer and reader disagree, and guessing would run the wrong task.
func Decode[T Args](payload []byte) (T, error) {
	var args, zero T
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&args); err != nil {
		return zero, fmt.Errorf("%w: %s: %w", ErrBadPayload, zero.Spec().Kind, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return zero, fmt.Errorf("%w: %s: trailing data", ErrBadPayload, zero.Spec().Kind)
	}
	return args, nil
}

// NewTask returns args as an asynq task with its kind's options. opts come last and so win over them.
func NewTask(args Args, opts ...asynq.Option) (*asynq.Task, error) {
	payload, err := Encode(args)
	if err != nil {
		return nil, err
	}
	return FromPayload(args.Spec().Kind, payload, nil, opts...)
}

// FromPayload is NewTask for a payload that was encoded before, as the outbox keeps it. headers, which may be nil, name the
// trace that the task belongs to. It fails with ErrUnknownKind or ErrBadPayload when no worker of this release could run the
// task.
func FromPayload(kind string, payload []byte, headers map[string]string, opts ...asynq.Option) (*asynq.Task, error) {
	e, ok := byKind()[kind]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownKind, kind)
	}
	if err := e.check(payload); err != nil {
		return nil, err
	}
	return asynq.NewTaskWithHeaders(kind, payload, headers, append(e.spec.Options(), opts...)...), nil
}
