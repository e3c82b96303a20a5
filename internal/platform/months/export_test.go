package months

import "context"

// ChunkOf makes objects of the archive have n rows.
func (s *Service) ChunkOf(n int) { s.chunk = n }

// Statements are what the chunks of a month are read by.
func Statements() []string {
	list := []string{serialStatement}
	for _, s := range sources() {
		list = append(list, s.statement())
	}
	return list
}

// Due returns what goes on with the month that is due now, in the state that it has now.
func (s *Service) Due(ctx context.Context) (goOn func(context.Context) error, err error) {
	p, state, _, err := s.next(ctx)
	return func(ctx context.Context) error { return s.archive(ctx, p, state) }, err
}
