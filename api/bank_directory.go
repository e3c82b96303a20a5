package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/bank"
)

func (a *API) registerBankDirectory() {
	tags := []string{"Bank"}
	handle(a, huma.Operation{
		OperationID: "list-banks", Method: http.MethodGet, Path: "/bank/banks", Tags: tags, Summary: "Issuing banks by code",
	}, Can(auth.BanksRead), a.listBanks)
	handle(a, huma.Operation{
		OperationID: "create-bank", Method: http.MethodPost, Path: "/bank/banks", Tags: tags, Summary: "Add an issuing bank",
	}, Can(auth.BanksWrite).Sensitive(), a.createBank)
	handle(a, huma.Operation{
		OperationID: "update-bank", Method: http.MethodPut, Path: "/bank/banks/{code}", Tags: tags, Summary: "Rename or retire an issuing bank",
	}, Can(auth.BanksWrite).Sensitive(), a.updateBank)
	handle(a, huma.Operation{
		OperationID: "delete-bank", Method: http.MethodDelete, Path: "/bank/banks/{code}", Tags: tags,
		Summary: "Remove an issuing bank that nothing names",
	}, Can(auth.BanksWrite).Sensitive(), a.deleteBank)
	handle(a, huma.Operation{
		OperationID: "list-network-codes", Method: http.MethodGet, Path: "/bank/network-codes", Tags: tags, Summary: "Meanings of CodigoRed",
	}, Can(auth.BanksRead), a.listNetworkCodes)
	handle(a, huma.Operation{
		OperationID: "create-network-code", Method: http.MethodPost, Path: "/bank/network-codes", Tags: tags, Summary: "Add the meaning of a code",
	}, Can(auth.BanksWrite).Sensitive(), a.createNetworkCode)
	handle(a, huma.Operation{
		OperationID: "update-network-code", Method: http.MethodPut, Path: "/bank/network-codes/{code}", Tags: tags, Summary: "Change the meaning of a code",
	}, Can(auth.BanksWrite).Sensitive(), a.updateNetworkCode)
	handle(a, huma.Operation{
		OperationID: "delete-network-code", Method: http.MethodDelete, Path: "/bank/network-codes/{code}", Tags: tags,
		Summary: "Remove a code",
	}, Can(auth.BanksWrite).Sensitive(), a.deleteNetworkCode)
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
	PageParams
	Status string `query:"status" enum:"active,retired"`
}

func (a *API) listBanks(ctx context.Context, in *banksInput) (*List[bankEntry], error) {
	banks, total, err := a.deps.Bank.Banks(ctx, in.Status, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return list(mapped(banks, func(b bank.Bank) bankEntry { return bankEntry(b) }), &in.PageParams, total), nil
}

// newBank is a bank in a request.
type newBank bankEntry

func (a *API) createBank(ctx context.Context, in *struct{ Body newBank }) (*Created[bankEntry], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.deps.Bank.AddBank(ctx, scope, bank.Bank(in.Body)); err != nil {
		return nil, err
	}
	return created(bankEntry(in.Body), a.deps.BasePath+"/bank/banks/"+in.Body.Code), nil
}

type bankInput struct {
	Code string `path:"code" maxLength:"4"`
	Body struct {
		Name   string `json:"name" minLength:"1" maxLength:"100"`
		Status string `json:"status" enum:"active,retired"`
	}
}

func (a *API) updateBank(ctx context.Context, in *bankInput) (*Data[bankEntry], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	b := bank.Bank{Code: in.Code, Name: in.Body.Name, Status: in.Body.Status}
	if err := a.deps.Bank.UpdateBank(ctx, scope, b); err != nil {
		return nil, err
	}
	return data(bankEntry(b)), nil
}

// CodeParams names a bank or network code. It is exported because huma looks into exported embedded structs only.
type CodeParams struct {
	Code string `path:"code" maxLength:"8"`
}

func (a *API) deleteBank(ctx context.Context, in *CodeParams) (*Data[deleted], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	return gone(in.Code, a.deps.Bank.DeleteBank(ctx, scope, in.Code))
}

func (a *API) listNetworkCodes(ctx context.Context, in *struct{ PageParams }) (*List[networkCode], error) {
	codes, total, err := a.deps.Bank.NetworkCodes(ctx, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return list(mapped(codes, func(c bank.NetworkCode) networkCode { return networkCode(c) }), &in.PageParams, total), nil
}

type newNetworkCode struct {
	Body struct {
		Code    string `json:"code" pattern:"^[0-9A-Za-z]{1,8}$" example:"51"`
		Meaning string `json:"meaning" minLength:"1" maxLength:"100"`
	}
}

func (a *API) createNetworkCode(ctx context.Context, in *newNetworkCode) (*Created[networkCode], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.deps.Bank.AddNetworkCode(ctx, scope, in.Body.Code, in.Body.Meaning); err != nil {
		return nil, err
	}
	return created(networkCodeBody(in.Body.Code, in.Body.Meaning), a.deps.BasePath+"/bank/network-codes/"+in.Body.Code), nil
}

type networkCodeInput struct {
	CodeParams
	Body struct {
		Meaning string `json:"meaning" minLength:"1" maxLength:"100"`
	}
}

func (a *API) updateNetworkCode(ctx context.Context, in *networkCodeInput) (*Data[networkCode], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.deps.Bank.UpdateNetworkCode(ctx, scope, in.Code, in.Body.Meaning); err != nil {
		return nil, err
	}
	return data(networkCodeBody(in.Code, in.Body.Meaning)), nil
}

func (a *API) deleteNetworkCode(ctx context.Context, in *CodeParams) (*Data[deleted], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	return gone(in.Code, a.deps.Bank.DeleteNetworkCode(ctx, scope, in.Code))
}

func networkCodeBody(code, meaning string) networkCode {
	return networkCode{Code: code, Meaning: meaning, Approved: code == bank.Approved}
}
