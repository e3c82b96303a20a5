package drafts

import "banca/internal/platform/apperr"

// wrong is a token that is not understood.
func wrong(why *apperr.Detail) token { return token{sense: senseWrong, wrong: why} }

func unclear() *apperr.Detail { return apperr.Line("LIST_UNCLEAR", "it may mean several things") }

func unread() *apperr.Detail { return apperr.Line("LIST_UNREAD", "the line is not understood") }

func noAmount() *apperr.Detail { return apperr.Line("LIST_NO_AMOUNT", "no amount is said") }

func hourUnclear(word string) *apperr.Detail {
	return apperr.Line("LIST_HOUR_UNCLEAR", "an hour is not clear", "word", word)
}
