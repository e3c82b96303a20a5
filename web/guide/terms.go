package guide

import (
	"slices"
	"strings"

	"banca/internal/platform/markdown"
)

// term is a term of the glossary in one language, and its words in the other.
type term struct{ words, other []string }

// Columns of the glossary.
const (
	termColumn    = 0
	spanishColumn = 2
	termColumns   = 5
)

// termsOf returns the terms of the glossary, each from English to Spanish and back. With them a search in one language
// finds the chapters that are in the other one only.
func termsOf(glossary []section) []term {
	var all []term
	for i := range glossary {
		for line := range strings.Lines(glossary[i].body) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			if len(cells) != termColumns {
				continue
			}
			name, _, _ := strings.Cut(cells[termColumn], "(") // which says what the term belongs to
			english := stemsOf(name)
			for spanish := range strings.SplitSeq(cells[spanishColumn], ",") {
				words := stemsOf(plainText(strings.Join(markdown.Render(spanish, markdown.Options{}), "")))
				if len(english) > 0 && len(words) > 0 {
					all = append(all, term{english, words}, term{words, english})
				}
			}
		}
	}
	return all
}

// stemsOf returns the stems of the words of a term that are not stops.
func stemsOf(text string) []string {
	words := queryWords(text)
	for i := range words {
		words[i] = stemOf(words[i])
	}
	return words
}

// termInQuery is a term of the glossary that a query has, with the place of its first word.
type termInQuery struct {
	term

	at int
}

// translated returns the terms of the glossary that a query has.
func (x *index) translated(query []string) []termInQuery {
	var all []termInQuery
	stems := slices.Clone(query)
	for i := range stems {
		stems[i] = stemOf(stems[i])
	}
	for _, t := range x.terms {
		for at := 0; at+len(t.words) <= len(stems); at++ {
			if slices.Equal(stems[at:at+len(t.words)], t.words) {
				all = append(all, termInQuery{t, at})
			}
		}
	}
	return all
}

// stops are words that say nothing about a text, each between spaces.
const stops = " a al an and are as at by como con cual de del el en es for from how i in is la las lo los " +
	"me mi no o of on or para por que se si su the to un una what with y "

// isStop reports whether a folded word is one of stops.
func isStop(word string) bool { return strings.Contains(stops, " "+word+" ") }
