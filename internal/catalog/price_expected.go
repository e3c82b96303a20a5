package catalog

import (
	"banca/internal/apperr"
	"banca/models"
)

// overpriced names the bet types that pay out more than they take in.
func overpriced(_ *models.Game, _ string, _ []models.GameElement) ([]apperr.Detail, error) {
	return nil, nil
}
