package closes

import "context"

// DueUpTo is Due with another bound of closes.
func (s *Service) DueUpTo(ctx context.Context, most int) (int, error) { return s.due(ctx, most) }
