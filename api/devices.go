package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/models"
)

func (a *API) registerDevices() {
	tags := []string{"Devices"}
	handle(a, huma.Operation{
		OperationID: "register-device", Method: http.MethodPost, Path: "/auth/devices", Tags: tags, Summary: "Register a device of an entity",
		Description: "It is active at once. device_key is shown here and never again: it stands for the device in confirmations of sensitive writes.",
	}, Can(auth.DevicesEnrol).Password(), a.registerDevice) // its key stands for a password
	handle(a, huma.Operation{
		OperationID: "list-devices", Method: http.MethodGet, Path: "/auth/devices", Tags: tags, Summary: "Devices of the caller's subtree, newest first",
	}, Can(auth.DevicesRead), a.listDevices)
	handle(a, huma.Operation{
		OperationID: "get-device", Method: http.MethodGet, Path: "/auth/devices/{id}", Tags: tags, Summary: "One device",
	}, Can(auth.DevicesRead), a.getDevice)
	handle(a, huma.Operation{
		OperationID: "update-device", Method: http.MethodPut, Path: "/auth/devices/{id}", Tags: tags, Summary: "Give a device another name",
	}, Can(auth.DevicesWrite), a.updateDevice)
	handle(a, huma.Operation{
		OperationID: "set-device-status", Method: http.MethodPut, Path: "/auth/devices/{id}/status", Tags: tags, Summary: "Move a device to a status",
		Description: "Suspending suspends its session and activating revives it; blocked and inactive end it for good. Activating needs a password that was confirmed " +
			"within ten minutes (POST /auth/confirm), because the device's key confirms sensitive writes; no device key will do.",
	}, Can(auth.DevicesWrite), a.setDeviceStatus)
	handle(a, huma.Operation{
		OperationID: "validate-device", Method: http.MethodPost, Path: "/auth/devices/validate", Tags: tags, DefaultStatus: http.StatusOK,
		Summary:     "Prove the device the caller works with, and begin a session of it",
		Description: "The fingerprint must be the one it was registered with. Older sessions of the device end. A wrong fingerprint is noted and changes nothing.",
	}, Can(auth.DevicesEnrol), a.validateDevice)
	handle(a, huma.Operation{
		OperationID: "list-device-sessions", Method: http.MethodGet, Path: "/auth/device-sessions", Tags: tags, Summary: "Sessions of devices of the caller's subtree, newest first",
	}, Can(auth.DevicesRead), a.listDeviceSessions)
	handle(a, huma.Operation{
		OperationID: "set-device-session-status", Method: http.MethodPut, Path: "/auth/device-sessions/{id}/status", Tags: tags, Summary: "Suspend, revive or end a session of a device",
		Description: "Reviving needs a password that was confirmed within ten minutes (POST /auth/confirm); no device key will do.",
	}, Can(auth.DevicesWrite), a.setDeviceSessionStatus)
}

type deviceInput struct {
	Body struct {
		EntityID    uuid.UUID  `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Name        string     `json:"name" minLength:"1" maxLength:"100" example:"Caja 1"`
		Fingerprint string     `json:"fingerprint" minLength:"8" maxLength:"512" doc:"what tells this device from all others; it is stored hashed"`
		Info        deviceInfo `json:"info,omitempty" doc:"what else is known of the device, 4 KiB at most"`
	}
}

func (a *API) registerDevice(ctx context.Context, in *deviceInput) (*Created[newDevice], error) {
	b, p := &in.Body, middleware.PrincipalFrom(ctx)
	d, key, err := a.deps.Devices.Register(ctx, &p, &devices.NewDevice{EntityID: b.EntityID, Name: b.Name, Fingerprint: b.Fingerprint, Info: b.Info.raw()})
	if err != nil {
		return nil, err
	}
	return created(newDevice{DeviceBody: deviceBody(d), DeviceKey: key}, a.deps.BasePath+"/auth/devices/"+d.ID.String()), nil
}

type devicesInput struct {
	PageParams
	EntityID string `query:"entityId" format:"uuid"`
	Status   string `query:"status" enum:"active,blocked,suspended,inactive"`
	Text     string `query:"q" maxLength:"100" doc:"in the name"`
}

func (a *API) listDevices(ctx context.Context, in *devicesInput) (*List[DeviceBody], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &devices.DeviceFilter{Scope: scope, Status: in.Status, Text: in.Text, Limit: in.PageSize, Offset: in.Offset()}
	f.EntityID, _ = uuid.Parse(in.EntityID) // the format was checked; empty is none
	all, total, err := a.deps.Devices.Devices(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, deviceBody), &in.PageParams, total), nil
}

func (a *API) getDevice(ctx context.Context, in *DeviceParams) (*Data[DeviceBody], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	d, err := a.deps.Devices.Device(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(deviceBody(d)), nil
}

type deviceNameInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100"`
	}
}

func (a *API) updateDevice(ctx context.Context, in *deviceNameInput) (*Data[DeviceBody], error) {
	p := middleware.PrincipalFrom(ctx)
	d, err := a.deps.Devices.Rename(ctx, &p, in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return data(deviceBody(d)), nil
}

type deviceStatusInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Status string `json:"status" enum:"active,blocked,suspended,inactive"`
	}
}

func (a *API) setDeviceStatus(ctx context.Context, in *deviceStatusInput) (*Data[DeviceBody], error) {
	if err := a.mayActivate(ctx, in.Body.Status); err != nil {
		return nil, err
	}
	p := middleware.PrincipalFrom(ctx)
	d, err := a.deps.Devices.SetStatus(ctx, &p, in.ID, in.Body.Status)
	if err != nil {
		return nil, err
	}
	return data(deviceBody(d)), nil
}

// mayActivate asks for a confirmed password before a device or its session becomes active. The key of a device does not
// stand for the password, because a device that is activated has a key again. Errors: auth.ErrConfirmationRequired.
func (a *API) mayActivate(ctx context.Context, status string) error {
	if status != models.StatusActive {
		return nil
	}
	return middleware.ConfirmedBy(ctx, "", a.deps.Auth, nil)
}

type validateInput struct {
	Body struct {
		DeviceID    uuid.UUID `json:"deviceId"`
		Fingerprint string    `json:"fingerprint" maxLength:"512"`
	}
}

func (a *API) validateDevice(ctx context.Context, in *validateInput) (*Data[validatedSession], error) {
	p := middleware.PrincipalFrom(ctx)
	v, err := a.deps.Devices.Validate(ctx, &p, in.Body.DeviceID, in.Body.Fingerprint)
	if err != nil {
		return nil, err
	}
	return data(validatedBody(&v)), nil
}

type deviceSessionsInput struct {
	PageParams
	DeviceID string `query:"deviceId" format:"uuid"`
	EntityID string `query:"entityId" format:"uuid"`
	UserID   string `query:"userId" format:"uuid"`
	Status   string `query:"status" enum:"active,suspended,inactive"`
	Online   bool   `query:"online" doc:"only those that are connected or were validated just now"`
}

func (a *API) listDeviceSessions(ctx context.Context, in *deviceSessionsInput) (*List[DeviceSessionBody], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &devices.SessionFilter{Scope: scope, Status: in.Status, Online: in.Online, Limit: in.PageSize, Offset: in.Offset()}
	f.DeviceID, _ = uuid.Parse(in.DeviceID) // the formats were checked; empty is none
	f.EntityID, _ = uuid.Parse(in.EntityID)
	f.UserID, _ = uuid.Parse(in.UserID)
	all, total, err := a.deps.Devices.Sessions(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, deviceSessionBody), &in.PageParams, total), nil
}

type deviceSessionStatusInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Status string `json:"status" enum:"active,suspended,inactive"`
	}
}

func (a *API) setDeviceSessionStatus(ctx context.Context, in *deviceSessionStatusInput) (*Data[DeviceSessionBody], error) {
	if err := a.mayActivate(ctx, in.Body.Status); err != nil {
		return nil, err
	}
	p := middleware.PrincipalFrom(ctx)
	s, err := a.deps.Devices.SetSessionStatus(ctx, &p, in.ID, in.Body.Status)
	if err != nil {
		return nil, err
	}
	return data(deviceSessionBody(s)), nil
}
