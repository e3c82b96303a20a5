package customers

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/platform/caller"
)

func (o *operations) registerCustomers() {
	tags := []string{"Customers"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-customer", Method: http.MethodPost, Path: "/sales/customers", Tags: tags,
		Summary:     "Create a customer of a ticket point",
		Description: "A telephone belongs to one customer of a ticket point: CUSTOMER_EXISTS names the customer that has it.",
	}, kit.Can(auth.CustomersWrite), o.createCustomer,
		customers.ErrEntityNotFound, customers.ErrExists, customers.ErrInvalid, customers.ErrNotTicketPoint)
	kit.HandleFile(o.Registry, huma.Operation{
		OperationID: "list-customers", Method: http.MethodGet, Path: "/sales/customers", Tags: tags,
		Summary: "Customers of the caller's subtree, by name",
	}, kit.Can(auth.CustomersRead), o.listCustomers, o.customersTable)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-customer", Method: http.MethodGet, Path: "/sales/customers/{id}", Tags: tags,
		Summary:     "One customer",
		Description: "The id of a merged customer answers the one that remains, with its own id.",
	}, kit.Can(auth.CustomersRead), o.getCustomer, customers.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-customer", Method: http.MethodPut, Path: "/sales/customers/{id}", Tags: tags,
		Summary: "Replace the fields of a customer",
	}, kit.Can(auth.CustomersWrite), o.updateCustomer,
		customers.ErrExists, customers.ErrInvalid, customers.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-customer", Method: http.MethodDelete, Path: "/sales/customers/{id}", Tags: tags,
		Summary:     "Forget a customer",
		Description: "Erases the name, telephone, e-mail and document of the customer and of those merged into it. Its tickets stay.",
	}, kit.Can(auth.CustomersWrite).Sensitive(), o.deleteCustomer, customers.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "merge-customer", Method: http.MethodPost, Path: "/sales/customers/{id}/merge", Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Merge another customer of the same ticket point into this one",
		Description:   "The customer adopts the e-mail and the document that it lacks. The other one's telephone and tickets become its own. A merge cannot be reversed.",
	}, kit.Can(auth.CustomersWrite).Sensitive(), o.mergeCustomer, customers.ErrMerge, customers.ErrNotFound)
}

type customer struct {
	ID         uuid.UUID  `json:"id"`
	EntityID   uuid.UUID  `json:"entityId"`
	Name       string     `json:"name"`
	Phone      string     `json:"phone" doc:"E.164" example:"+584141234567"`
	IDDocument *string    `json:"id_document" example:"V12345678"`
	Email      *string    `json:"email"`
	OptedOut   bool       `json:"opted_out" doc:"wants no messages"`
	OptOutAt   *time.Time `json:"opt_out_at"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

func customerBody(c customers.Customer) customer {
	return customer{
		ID: c.ID, EntityID: c.EntityID, Name: c.Name, Phone: c.Phone, IDDocument: kit.Optional(c.IDDocument),
		Email:    kit.Optional(c.Email),
		OptedOut: !c.OptOutAt.IsZero(), OptOutAt: kit.Optional(c.OptOutAt),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

// PersonBody has the fields of a customer that a client sends.
type PersonBody struct {
	Name       string `json:"name" minLength:"1" maxLength:"100" example:"María Ñáñez"`
	Phone      string `json:"phone" maxLength:"30" example:"04141234567"`
	IDDocument string `json:"id_document,omitempty" maxLength:"20" example:"V12345678" doc:"identity document: V, E, J, G or P and 5 to 10 digits"`
	Email      string `json:"email,omitempty" maxLength:"254" example:"maria@example.com"`
	OptedOut   *bool  `json:"opted_out,omitempty" doc:"wants no messages but one-time codes; without it a change leaves it as it is"`
}

type createInput struct {
	Body struct {
		PersonBody

		EntityID uuid.UUID `json:"entityId,omitempty" doc:"a ticket point; the caller's own entity when left out"`
	}
}

func (o *operations) createCustomer(
	ctx context.Context, by caller.Caller, in *createInput,
) (*kit.Created[customer], error) {
	c, err := o.customers.Create(ctx, by, in.Body.EntityID, customers.Person(in.Body.PersonBody))
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(customerBody(c), o.BasePath+"/sales/customers/"+c.ID.String()), nil
}

type customersInput struct {
	kit.PageParams
	kit.FileParams

	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	Search   string `query:"search" maxLength:"100" doc:"words of the name and parts of the telephone in any form; all must match, case and accents are ignored"`
}

func (o *operations) listCustomers(
	ctx context.Context, by caller.Caller, in *customersInput,
) (*kit.List[customer], error) {
	return kit.ListFrom(customerBody, &in.PageParams)(o.customers.List(ctx, by, in.filter()))
}

func (o *operations) getCustomer(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[customer], error) {
	return kit.DataFromValue(customerBody)(o.customers.Get(ctx, by, in.ID))
}

type updateInput struct {
	kit.ByID
	Body PersonBody
}

func (o *operations) updateCustomer(
	ctx context.Context, by caller.Caller, in *updateInput,
) (*kit.Data[customer], error) {
	return kit.DataFromValue(customerBody)(o.customers.Update(ctx, by, in.ID, customers.Person(in.Body)))
}

func (o *operations) deleteCustomer(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.customers.Delete(ctx, by, in.ID))
}

type mergeInput struct {
	kit.ByID
	Body struct {
		CustomerID uuid.UUID `json:"customer_id" doc:"the customer that is merged into the one of the path"`
	}
}

func (o *operations) mergeCustomer(ctx context.Context, by caller.Caller, in *mergeInput) (*kit.Data[customer], error) {
	return kit.DataFromValue(customerBody)(o.customers.Merge(ctx, by, customers.Union{Kept: in.ID, Merged: in.Body.CustomerID}))
}
