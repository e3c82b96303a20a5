package catalog

import (
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/pixels"
)

// gameErrors returns the errors of a change of a game and its draws, and errs.
func gameErrors(errs ...*apperr.Error) []*apperr.Error {
	return uploadErrors(append(errs, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
		catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrInvalidDraws)...)
}

// uploadErrors returns the errors of a change of a game with pictures, and errs.
func uploadErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, errCatalogForm, pixels.ErrBusy, pixels.ErrTooMuchMemory, catalog.ErrPictureBroken,
		catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
		catalog.ErrCategoryNotFound, catalog.ErrGameNotFound, catalog.ErrInvalidGame, catalog.ErrOverpriced,
		money.ErrAmount)
}
