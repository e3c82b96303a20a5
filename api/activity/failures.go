package activity

import (
	"banca/internal/activity"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// failures lists the errors of the operations on the activity log.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"create-log": {activity.ErrInvalid, activity.ErrNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"delete-log": {activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved},
		"get-log":    {activity.ErrNotFound},
		"update-log": {activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved},
	}
}
