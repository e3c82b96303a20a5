package auth

import "banca/models"

// maxClientTokens bounds the client tokens of a login that are checked: a browser keeps one for each of its users.
const maxClientTokens = 20

// clientTokens are the tokens by which a client proves an earlier login as a user. They are not credentials: attempts
// of a client with one are counted separately, see throttle. A token is bound to the user, the
// password and the phone: its holder knew the account's secret of the time.
func (s *Service) clientTokens(row *models.User) opaqueTokens {
	parts := [][]byte{row.ID[:], []byte(row.PasswordHash), {0}}
	if row.Phone != nil {
		parts = append(parts, []byte(*row.Phone))
	}
	return opaqueTokens{key: mac(s.clientKey, parts...)}
}

// knownClient returns the one of the given tokens that is the user's; "" if none is.
func (s *Service) knownClient(row *models.User, tokens []string) string {
	issued := s.clientTokens(row)
	for _, token := range tokens[:min(len(tokens), maxClientTokens)] {
		if id, ok := issued.open(token); ok && id == row.ID {
			return token
		}
	}
	return ""
}

// clientToken returns the token for the client of a successful login: its valid one, or a new one.
func (s *Service) clientToken(row *models.User, tokens []string) string {
	if token := s.knownClient(row, tokens); token != "" {
		return token
	}
	token, _ := s.clientTokens(row).issue(row.ID)
	return token
}
