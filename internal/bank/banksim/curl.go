package banksim

import "strings"

// curlLine is a line for a POSIX shell that makes a call again. The operator's token stands as $BANK_TOKEN;
// the random one of WrongToken is no secret and stands as it is, because the line would else make the call
// with the right one.
func curlLine(c *call) string {
	parts := []string{"curl", "-sS", "-i", "-X", "POST", quoteShell(c.url)}
	switch {
	case c.wrongToken != "":
		parts = append(parts, "-H", quoteShell("Authorization: "+c.wrongToken))
	case c.token != "":
		parts = append(parts, "-H", `"Authorization: $BANK_TOKEN"`)
	}
	// --data-raw, unlike --data, reads no file when the body begins with an @.
	parts = append(parts, "-H", quoteShell("Content-Type: "+contentType), "--data-raw", quoteShell(c.body))
	return strings.Join(parts, " ")
}

// quoteShell returns text as one word of a POSIX shell.
func quoteShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
