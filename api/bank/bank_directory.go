package bank

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/platform/caller"
)

func (o *operations) registerBankDirectory() {
	tags := []string{"Bank"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-banks", Method: http.MethodGet, Path: "/bank/banks", Tags: tags,
		Summary: "Issuing banks by code",
	}, kit.Can(auth.BanksRead), o.listBanks)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-bank", Method: http.MethodPost, Path: "/bank/banks", Tags: tags,
		Summary: "Add an issuing bank",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.createBank,
		bank.ErrBankExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-bank", Method: http.MethodPut, Path: "/bank/banks/{code}", Tags: tags,
		Summary: "Rename or retire an issuing bank",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.updateBank,
		bank.ErrBankNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-bank", Method: http.MethodDelete, Path: "/bank/banks/{code}", Tags: tags,
		Summary: "Remove an issuing bank that nothing names",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.deleteBank,
		bank.ErrBankInUse, bank.ErrBankNotFound, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-network-codes", Method: http.MethodGet, Path: "/bank/network-codes", Tags: tags,
		Summary: "Meanings of CodigoRed",
	}, kit.Can(auth.BanksRead), o.listNetworkCodes)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-network-code", Method: http.MethodPost, Path: "/bank/network-codes", Tags: tags,
		Summary: "Add the meaning of a code",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.createNetworkCode,
		bank.ErrCodeExists, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-network-code", Method: http.MethodPut, Path: "/bank/network-codes/{code}", Tags: tags,
		Summary: "Change the meaning of a code",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.updateNetworkCode,
		bank.ErrCodeNotFound, bank.ErrField, bank.ErrInvalidEntry, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-network-code", Method: http.MethodDelete, Path: "/bank/network-codes/{code}", Tags: tags,
		Summary: "Remove a code",
	}, kit.Can(auth.BanksWrite).Sensitive(), o.deleteNetworkCode,
		bank.ErrCodeFixed, bank.ErrCodeNotFound, bank.ErrOperatorOnly)
}

type bankEntry struct {
	Code   string `json:"code" pattern:"^[0-9]{4}$" example:"0134"`
	Name   string `json:"name" minLength:"1" maxLength:"100"`
	Status string `json:"status,omitempty" enum:"active,retired" default:"active"`
}

type networkCode struct {
	Code     string `json:"code" example:"51"`
	Meaning  string `json:"meaning"`
	Approved bool   `json:"approved" doc:"true for 00 only"`
}

type banksInput struct {
	kit.PageParams
	Status string `query:"status" enum:"active,retired"`
}

func (o *operations) listBanks(ctx context.Context, _ caller.Caller, in *banksInput) (*kit.List[bankEntry], error) {
	banks, total, err := o.bank.Banks(ctx, in.Status, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(banks, func(b bank.Bank) bankEntry { return bankEntry(b) }), &in.PageParams, total), nil
}

// newBank is a bank in a request.
type newBank bankEntry

func (o *operations) createBank(
	ctx context.Context, by caller.Caller, in *struct{ Body newBank },
) (*kit.Created[bankEntry], error) {
	if err := o.bank.AddBank(ctx, by, bank.Bank(in.Body)); err != nil {
		return nil, err
	}
	return kit.CreatedOf(bankEntry(in.Body), o.BasePath+"/bank/banks/"+in.Body.Code), nil
}

type bankInput struct {
	Code string `path:"code" maxLength:"4"`
	Body struct {
		Name   string `json:"name" minLength:"1" maxLength:"100"`
		Status string `json:"status" enum:"active,retired"`
	}
}

func (o *operations) updateBank(ctx context.Context, by caller.Caller, in *bankInput) (*kit.Data[bankEntry], error) {
	b := bank.Bank{Code: in.Code, Name: in.Body.Name, Status: in.Body.Status}
	if err := o.bank.UpdateBank(ctx, by, b); err != nil {
		return nil, err
	}
	return kit.DataOf(bankEntry(b)), nil
}

// CodeParams names a bank or network code.
type CodeParams struct {
	Code string `path:"code" maxLength:"8"`
}

func (o *operations) deleteBank(ctx context.Context, by caller.Caller, in *CodeParams) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.Code, o.bank.DeleteBank(ctx, by, in.Code))
}

func (o *operations) listNetworkCodes(
	ctx context.Context, _ caller.Caller, in *struct{ kit.PageParams },
) (*kit.List[networkCode], error) {
	codes, total, err := o.bank.NetworkCodes(ctx, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(codes, func(c bank.NetworkCode) networkCode { return networkCode(c) }), &in.PageParams, total), nil
}

type newNetworkCode struct {
	Body struct {
		Code    string `json:"code" pattern:"^[0-9A-Za-z]{1,8}$" example:"51"`
		Meaning string `json:"meaning" minLength:"1" maxLength:"100"`
	}
}

func (o *operations) createNetworkCode(
	ctx context.Context, by caller.Caller, in *newNetworkCode,
) (*kit.Created[networkCode], error) {
	if err := o.bank.AddNetworkCode(ctx, by, in.Body.Code, in.Body.Meaning); err != nil {
		return nil, err
	}
	return kit.CreatedOf(networkCodeBody(in.Body.Code, in.Body.Meaning), o.BasePath+"/bank/network-codes/"+in.Body.Code), nil
}

type networkCodeInput struct {
	CodeParams
	Body struct {
		Meaning string `json:"meaning" minLength:"1" maxLength:"100"`
	}
}

func (o *operations) updateNetworkCode(
	ctx context.Context, by caller.Caller, in *networkCodeInput,
) (*kit.Data[networkCode], error) {
	if err := o.bank.UpdateNetworkCode(ctx, by, in.Code, in.Body.Meaning); err != nil {
		return nil, err
	}
	return kit.DataOf(networkCodeBody(in.Code, in.Body.Meaning)), nil
}

func (o *operations) deleteNetworkCode(
	ctx context.Context, by caller.Caller, in *CodeParams,
) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.Code, o.bank.DeleteNetworkCode(ctx, by, in.Code))
}

func networkCodeBody(code, meaning string) networkCode {
	return networkCode{Code: code, Meaning: meaning, Approved: code == bank.Approved}
}
