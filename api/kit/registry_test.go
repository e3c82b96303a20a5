package kit

import (
	"context"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/caller"
)

func newRegistry() *Registry {
	return NewRegistry(gin.New(), huma.DefaultConfig("test", "1"), Options{})
}

// An operation of users has a caller; a public one has none.
func TestHandleHasACallerAndHandlePublicNone(t *testing.T) {
	t.Parallel()
	op := huma.Operation{OperationID: "one", Method: http.MethodGet, Path: "/one"}
	r := newRegistry()
	Handle(r, op, Public(), func(context.Context, caller.Caller, *struct{}) (*struct{}, error) { return &struct{}{}, nil })
	require.ErrorContains(t, r.Err(), "HandlePublic")
	r = newRegistry()
	HandlePublic(r, op, SignedIn(), func(context.Context, *struct{}) (*struct{}, error) { return &struct{}{}, nil })
	require.ErrorContains(t, r.Err(), "registered by Handle")
	r = newRegistry()
	Handle(r, op, Access{}, func(context.Context, caller.Caller, *struct{}) (*struct{}, error) { return &struct{}{}, nil })
	require.ErrorContains(t, r.Err(), "needs an id and an access")
}
