package customers

import (
	"context"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/exports"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
)

func (in *customersInput) filter() *customers.Filter {
	return &customers.Filter{EntityID: kit.ID(in.EntityID), Search: in.Search, Limit: in.PageSize, Offset: in.Offset()}
}

func (o *operations) customersTable(ctx context.Context, by caller.Caller, in *customersInput) (*sheet.Table, error) {
	rows, total, err := o.customers.All(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	table := kit.FileTable(ctx, "customers", "", "name", "phone", "id_document", "email", "ticket_point", "code", "since", "customer")
	table.Total = total
	table.Rows = sheet.Rows(rows, func(c *customers.Row) []sheet.Cell {
		return []sheet.Cell{
			sheet.Text(c.Name), sheet.Text(c.Phone), sheet.Text(c.IDDocument), sheet.Text(c.Email), sheet.Text(c.TicketPoint), sheet.Text(c.Code), sheet.Time(c.CreatedAt),
			sheet.Text(c.ID.String()),
		}
	})
	return table, nil
}

// Sources returns the customers as exports make a file of them: the file of their operation.
func Sources(service *customers.Service) []exports.Source {
	o := &operations{Registry: &kit.Registry{}, customers: service}
	return []exports.Source{{
		Report: "customers", Permission: auth.CustomersRead, Takes: []string{exports.FieldEntity, exports.FieldSearch},
		Table: func(ctx context.Context, by caller.Caller, language string, f *exports.Filter) (*sheet.Table, error) {
			return o.customersTable(middleware.WithLanguage(ctx, language), by, &customersInput{EntityID: f.EntityID, Search: f.Search})
		},
	}}
}
