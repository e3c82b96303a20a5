package sales

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/ledger"
	"banca/models"
)

func TestHabitsOfTheNewestTickets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	bs := ledger.Currency{ID: uuid.New(), Code: "VES"}
	lion, number := Line{Selection: "5", Name: "León"}, Line{Selection: "123", Name: "123"}
	newest := []Ticket{
		{Status: models.TicketCancelled, CreatedAt: now, Currency: bs, Total: 900, Lines: []Line{number, number}},
		{CreatedAt: now.Add(-time.Hour), Currency: bs, Total: 200, Lines: []Line{lion, number}},
		{CreatedAt: now.Add(-2 * time.Hour), Currency: bs, Total: 300, Lines: []Line{lion}},
		{CreatedAt: now.Add(-31 * 24 * time.Hour), Currency: bs, Total: 400, Lines: []Line{number, number}},
	}
	assert.Equal(t, &Habits{Last: newest[1].CreatedAt, Spent: []Spent{{bs, 500}}, Numbers: []string{"123", "5 León"}}, HabitsOf(newest, 4, now))
	assert.True(t, HabitsOf(newest[:3], 4, now).AtLeast)
	assert.False(t, HabitsOf(newest, 5, now).AtLeast, "the last one is older than the period")
	assert.Equal(t, &Habits{}, HabitsOf(nil, 0, now))
}
