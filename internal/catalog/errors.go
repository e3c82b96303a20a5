package catalog

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrGameNotFound   = apperr.New(apperr.NotFound, "GAME_NOT_FOUND", "no such game")
	ErrDrawNotFound   = apperr.New(apperr.NotFound, "DRAW_NOT_FOUND", "no such draw")
	ErrSchemaNotFound = apperr.New(apperr.NotFound, "SCHEMA_NOT_FOUND", "no JSON field of a game has this name")

	ErrCategoryNotFound = apperr.New(apperr.NotFound, "CATEGORY_NOT_FOUND", "no such category of games")
	ErrInvalidCategory  = apperr.New(apperr.Invalid, "INVALID_CATEGORY", "fields of the category are missing or invalid")
	ErrCategoryExists   = apperr.New(apperr.Conflict, "CATEGORY_CODE_TAKEN", "a category with this code exists")
	ErrCategoryInUse    = apperr.New(apperr.Conflict, "CATEGORY_IN_USE", "games or limits refer to this category")

	ErrInvalidGame    = apperr.New(apperr.Invalid, "INVALID_GAME", "fields of the game are missing or invalid")
	ErrGameExists     = apperr.New(apperr.Conflict, "SHORT_CODE_TAKEN", "a game with this short_code exists")
	ErrGameChanged    = apperr.New(apperr.Conflict, "GAME_CHANGED", "somebody else changed the game meanwhile; nothing was changed")
	ErrGameStatus     = apperr.New(apperr.Conflict, "GAME_STATUS_MOVE", "a game cannot go from its status to this one")
	ErrGameHasSales   = apperr.New(apperr.Conflict, "GAME_HAS_TICKETS", "tickets were sold on the game; make it inactive instead")
	ErrGameInUse      = apperr.New(apperr.Conflict, "GAME_IN_USE", "limits, results or other games refer to this game; make it inactive instead")
	ErrMechanicsInUse = apperr.New(apperr.Conflict, "MECHANICS_IN_USE", "the game has pending tickets; its mechanics can be changed after they are decided")
	ErrOverpriced     = apperr.New(apperr.Invalid, "EXPECTED_PAYOUT_TOO_HIGH", "the expected payout exceeds the stakes")
	ErrForceReason    = apperr.New(apperr.Invalid, "FORCE_REASON_REQUIRED", "a forced configuration needs a reason")
	ErrInvalidGrid    = apperr.New(apperr.Invalid, "INVALID_ELEMENTS", "elements are missing or invalid; nothing was changed")
	ErrElement        = apperr.New(apperr.NotFound, "ELEMENT_NOT_FOUND", "the game has no such element")
	ErrElementExists  = apperr.New(apperr.Conflict, "ELEMENT_CODE_TAKEN", "the game has elements with these codes")

	ErrInvalidDraws   = apperr.New(apperr.Invalid, "INVALID_DRAWS", "draws are missing or invalid; nothing was changed")
	ErrDrawHasTickets = apperr.New(apperr.Conflict, "DRAW_HAS_TICKETS", "tickets were sold on these draws; nothing was changed")
	ErrDrawOver       = apperr.New(apperr.Conflict, "DRAW_NOT_OPEN", "the sales of these draws are over; nothing was changed")
	ErrDrawInUse      = apperr.New(apperr.Conflict, "DRAW_IN_USE", "other records refer to a draw that would be deleted; nothing was changed")

	ErrPictureType       = apperr.New(apperr.Invalid, "PICTURE_TYPE", "only PNG and JPEG pictures are accepted; the content decides, not the name")
	ErrPictureBroken     = apperr.New(apperr.Invalid, "PICTURE_BROKEN", "the picture is truncated or damaged")
	ErrPictureDimensions = apperr.New(apperr.Invalid, "PICTURE_DIMENSIONS", "the picture has too many pixels: at most 8,000 a side and 24 million together")
	ErrPictureTooLarge   = apperr.New(apperr.TooLarge, "PICTURE_TOO_LARGE", "the picture is larger than 5 MiB")
	ErrPictureStore      = apperr.New(apperr.Unavailable, "PICTURE_STORE_UNAVAILABLE", "the store of pictures does not answer; nothing was changed")
	ErrPictureNotFound   = apperr.New(apperr.NotFound, "PICTURE_NOT_FOUND", "no such picture")
)
