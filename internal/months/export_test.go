package months

// ChunkOf makes objects of the archive have n rows.
func (s *Service) ChunkOf(n int) { s.chunk = n }
