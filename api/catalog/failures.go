package catalog

import (
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/pixels"
)

// failures lists the errors of the operations on the catalogue.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"create-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrMechanicsInUse, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"create-game-category": {
			catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory,
		},
		"create-game-elements": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrElementExists, catalog.ErrGameNotFound,
			catalog.ErrInvalidGame, catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"delete-game":          {catalog.ErrGameHasSales, catalog.ErrGameInUse, catalog.ErrGameNotFound},
		"delete-game-category": {catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound},
		"game-schema":          {catalog.ErrSchemaNotFound},
		"get-game":             {catalog.ErrCategoryNotFound, catalog.ErrGameNotFound},
		"get-game-category":    {catalog.ErrCategoryNotFound},
		"list-game-elements":   {catalog.ErrGameNotFound},
		"list-games":           {catalog.ErrGameNotFound},
		"set-game-status":      {catalog.ErrCategoryNotFound, catalog.ErrGameNotFound, catalog.ErrGameStatus},
		"sync-draws": {
			catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver, catalog.ErrGameNotFound,
			catalog.ErrInvalidDraws,
		},
		"sync-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"update-game": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver,
			catalog.ErrForceReason, catalog.ErrGameExists, catalog.ErrGameNotFound, catalog.ErrInvalidDraws,
			catalog.ErrInvalidGame, catalog.ErrMechanicsInUse, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory,
			catalog.ErrPictureDimensions, catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType,
			money.ErrAmount,
		},
		"update-game-category": {
			catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory,
		},
		"update-game-element": {
			errCatalogForm, catalog.ErrCategoryNotFound, catalog.ErrElement, catalog.ErrGameNotFound, catalog.ErrInvalidGame,
			catalog.ErrInvalidGrid, catalog.ErrOverpriced, catalog.ErrPictureBroken, pixels.ErrBusy, pixels.ErrTooMuchMemory, catalog.ErrPictureDimensions,
			catalog.ErrPictureStore, catalog.ErrPictureTooLarge, catalog.ErrPictureType, money.ErrAmount,
		},
	}
}
