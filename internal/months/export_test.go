package months

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
