package exposure

// ForgetBoards forgets the recent boards and splits, but not the sums of watched boards and splits.
func (s *Service) ForgetBoards() {
	s.watched.boards.Forget()
	s.watched.splits.Forget()
}
