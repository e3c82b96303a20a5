package secrets

// Tail returns the characters of a token that a mask shows: its last four, none of a token shorter than eight.
func Tail(token string) string {
	const tail = 4
	if len(token) < 2*tail {
		return ""
	}
	return token[len(token)-tail:]
}
