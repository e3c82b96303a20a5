package org

import "context"

// Examine is for a fuzz test.
func Examine(s *Service, body []byte) error {
	_, err := s.examine(context.Background(), body)
	return err
}
