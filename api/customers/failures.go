package customers

import (
	"banca/internal/customers"
	"banca/internal/platform/apperr"
)

// failures lists the errors of the operations on customers.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"create-customer": {customers.ErrEntityNotFound, customers.ErrExists, customers.ErrInvalid, customers.ErrNotTicketPoint},
		"delete-customer": {customers.ErrNotFound},
		"get-customer":    {customers.ErrNotFound},
		"merge-customer":  {customers.ErrMerge, customers.ErrNotFound},
		"update-customer": {customers.ErrExists, customers.ErrInvalid, customers.ErrNotFound},
	}
}
