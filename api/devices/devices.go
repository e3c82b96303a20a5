package devices

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/platform/caller"
	"banca/models"
)

func (o *operations) registerDevices() {
	tags := []string{"Devices"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "register-device", Method: http.MethodPost, Path: "/auth/devices", Tags: tags,
		Summary:     "Register a device of an entity",
		Description: "It is active at once. device_key is shown here and never again: it stands for the device in confirmations of sensitive writes.",
	}, kit.Can(auth.DevicesRegister).Password(), o.registerDevice,
		devices.ErrDeviceExists, devices.ErrEntityNotFound, devices.ErrInvalidDevice, devices.ErrOwnEntityOnly,
		devices.ErrTooManyDevices) // its key replaces a password
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-devices", Method: http.MethodGet, Path: "/auth/devices", Tags: tags,
		Summary: "Devices of the caller's subtree, newest first",
	}, kit.Can(auth.DevicesRead), o.listDevices)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-device", Method: http.MethodGet, Path: "/auth/devices/{id}", Tags: tags,
		Summary: "One device",
	}, kit.Can(auth.DevicesRead), o.getDevice, devices.ErrDeviceNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-device", Method: http.MethodPut, Path: "/auth/devices/{id}", Tags: tags,
		Summary: "Give a device another name",
	}, kit.Can(auth.DevicesWrite), o.updateDevice, devices.ErrDeviceNotFound, devices.ErrInvalidDevice)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-device-status", Method: http.MethodPut, Path: "/auth/devices/{id}/status", Tags: tags,
		Summary: "Move a device to a status",
		Description: "Suspending suspends its session and activating revives it; blocked and inactive end it for good. Activating needs a password that was confirmed " +
			"within ten minutes (POST /auth/confirm), because the device's key confirms sensitive writes; no device key will do.",
	}, kit.Can(auth.DevicesWrite), o.setDeviceStatus,
		auth.ErrConfirmationRequired, devices.ErrDeviceNotFound, devices.ErrStatusMove)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "validate-device", Method: http.MethodPost, Path: "/auth/devices/validate", Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Prove the device the caller works with, and begin a session of it",
		Description:   "The fingerprint must be the one it was registered with. Older sessions of the device end. A wrong fingerprint is noted and changes nothing.",
	}, kit.Can(auth.DevicesRegister), o.validateDevice,
		devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrEntityNotFound, devices.ErrFingerprint,
		devices.ErrInactive, devices.ErrSessionHeld, devices.ErrSuspended)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-device-sessions", Method: http.MethodGet, Path: "/auth/device-sessions", Tags: tags,
		Summary: "Sessions of devices of the caller's subtree, newest first",
	}, kit.Can(auth.DevicesRead), o.listDeviceSessions)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-device-session-status", Method: http.MethodPut, Path: "/auth/device-sessions/{id}/status",
		Tags: tags, Summary: "Suspend, revive or end a session of a device",
		Description: "Reviving needs a password that was confirmed within ten minutes (POST /auth/confirm); no device key will do.",
	}, kit.Can(auth.DevicesWrite), o.setDeviceSessionStatus,
		auth.ErrConfirmationRequired, devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrInactive,
		devices.ErrSessionMove, devices.ErrSessionNotFound, devices.ErrSuspended)
}

type deviceInput struct {
	Body struct {
		EntityID    uuid.UUID  `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Name        string     `json:"name" minLength:"1" maxLength:"100" example:"Caja 1"`
		Fingerprint string     `json:"fingerprint" minLength:"8" maxLength:"512" doc:"what tells this device from all others; it is stored hashed"`
		Info        deviceInfo `json:"info,omitempty" doc:"what else is known of the device, 4 KiB at most"`
	}
}

func (o *operations) registerDevice(
	ctx context.Context, by caller.Caller, in *deviceInput,
) (*kit.Created[newDevice], error) {
	b := &in.Body
	d, key, err := o.devices.Register(
		ctx, by, &devices.NewDevice{EntityID: b.EntityID, Name: b.Name, Fingerprint: b.Fingerprint, Info: b.Info.raw()},
	)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(newDevice{DeviceBody: deviceBody(d), DeviceKey: key}, o.BasePath+"/auth/devices/"+d.ID.String()), nil
}

type devicesInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid"`
	Status   string `query:"status" enum:"active,blocked,suspended,inactive"`
	Text     string `query:"q" maxLength:"100" doc:"in the name"`
}

func (o *operations) listDevices(
	ctx context.Context, by caller.Caller, in *devicesInput,
) (*kit.List[DeviceBody], error) {
	f := &devices.DeviceFilter{Status: in.Status, Text: in.Text, Limit: in.PageSize, Offset: in.Offset(), EntityID: kit.ID(in.EntityID)}
	return kit.ListFrom(deviceBody, &in.PageParams)(o.devices.Devices(ctx, by, f))
}

func (o *operations) getDevice(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[DeviceBody], error) {
	return kit.DataFromValue(deviceBody)(o.devices.Device(ctx, by, in.ID))
}

type deviceNameInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100"`
	}
}

func (o *operations) updateDevice(
	ctx context.Context, by caller.Caller, in *deviceNameInput,
) (*kit.Data[DeviceBody], error) {
	return kit.DataFromValue(deviceBody)(o.devices.Rename(ctx, by, in.ID, in.Body.Name))
}

type deviceStatusInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Status string `json:"status" enum:"active,blocked,suspended,inactive"`
	}
}

func (o *operations) setDeviceStatus(
	ctx context.Context, by caller.Caller, in *deviceStatusInput,
) (*kit.Data[DeviceBody], error) {
	if err := o.mayActivate(ctx, in.Body.Status); err != nil {
		return nil, err
	}
	return kit.DataFromValue(deviceBody)(o.devices.SetStatus(ctx, by, in.ID, in.Body.Status))
}

// mayActivate requires a confirmed password before a device or its session becomes active. The key of a device does
// not replace the password, because an activated device has a key again. Errors: auth.ErrConfirmationRequired.
func (o *operations) mayActivate(ctx context.Context, status string) error {
	if status != models.StatusActive {
		return nil
	}
	return o.ConfirmPassword(ctx)
}

type validateInput struct {
	Body struct {
		DeviceID    uuid.UUID `json:"deviceId"`
		Fingerprint string    `json:"fingerprint" maxLength:"512"`
	}
}

func (o *operations) validateDevice(
	ctx context.Context, by caller.Caller, in *validateInput,
) (*kit.Data[validatedSession], error) {
	v, err := o.devices.Validate(ctx, by, in.Body.DeviceID, in.Body.Fingerprint)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(validatedBody(&v)), nil
}

type deviceSessionsInput struct {
	kit.PageParams
	DeviceID string `query:"deviceId" format:"uuid"`
	EntityID string `query:"entityId" format:"uuid"`
	UserID   string `query:"userId" format:"uuid"`
	Status   string `query:"status" enum:"active,suspended,inactive"`
	Online   bool   `query:"online" doc:"only those that are connected or were validated just now"`
}

func (o *operations) listDeviceSessions(
	ctx context.Context, by caller.Caller, in *deviceSessionsInput,
) (*kit.List[DeviceSessionBody], error) {
	f := &devices.SessionFilter{Status: in.Status, Online: in.Online, Limit: in.PageSize, Offset: in.Offset(), DeviceID: kit.ID(in.DeviceID), EntityID: kit.ID(in.EntityID), UserID: kit.ID(in.UserID)}
	return kit.ListFrom(deviceSessionBody, &in.PageParams)(o.devices.Sessions(ctx, by, f))
}

type deviceSessionStatusInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Status string `json:"status" enum:"active,suspended,inactive"`
	}
}

func (o *operations) setDeviceSessionStatus(
	ctx context.Context, by caller.Caller, in *deviceSessionStatusInput,
) (*kit.Data[DeviceSessionBody], error) {
	if err := o.mayActivate(ctx, in.Body.Status); err != nil {
		return nil, err
	}
	return kit.DataFromValue(deviceSessionBody)(o.devices.SetSessionStatus(ctx, by, in.ID, in.Body.Status))
}
