package guide

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// found is a section that a search found.
type found struct {
	Address  string
	Path     []string // titles of the chapter and of the sections down to it
	Language string
	Excerpt  []piece
}

// piece is a part of an excerpt.
type piece struct {
	Text string
	Mark bool // it is what was looked for
}

// ranked is a section with its score.
type ranked struct {
	entry int
	score float64
}

// better orders sections by their scores, equal ones as in the guide.
func better(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), a.entry-b.entry) }

// search returns the sections that fit a query best. A section that has the words in both languages is shown in the
// one of the page.
func (x *index) search(query, language string) []found {
	marked := map[string]bool{}
	scores, covered := map[int]float64{}, map[int]float64{}
	total := 0.0
	for _, best := range x.scored(queryWords(query), marked) {
		rarity := math.Log(1 + float64(len(x.entries))/float64(1+len(best)))
		total += rarity
		for at, value := range best {
			scores[at] += rarity * value
			covered[at] += rarity
		}
	}
	sections := map[string]ranked{} // by address
	for at, score := range scores {
		share := covered[at] / total // sections with all words come first
		e := &x.entries[at]
		r, other := ranked{at, score * share * share}, sections[e.address]
		if other.score > 0 && e.language != language {
			r.entry = other.entry
		}
		r.score = max(r.score, other.score)
		sections[e.address] = r
	}
	return x.shown(slices.SortedFunc(maps.Values(sections), better), marked)
}

// Saturation of the words of a section: a word that is repeated counts less each time, and less in a long section.
const (
	saturation = 0.5
	longWords  = 150

	translatedCounts = 0.5 // of a word in the other language
)

// scored returns what each word of a query counts for each section, itself or as a part of a term in the other
// language, and adds the words that stand for them to marked.
func (x *index) scored(query []string, marked map[string]bool) []map[int]float64 {
	all := make([]map[int]float64, len(query))
	for i, word := range query {
		all[i] = x.scoredWord(word, marked)
	}
	for _, t := range x.translated(query) {
		whole := x.scoredWord(t.other[0], marked)
		for _, word := range t.other[1:] {
			one := x.scoredWord(word, marked)
			maps.DeleteFunc(whole, func(at int, _ float64) bool { return one[at] == 0 })
			for at := range whole {
				whole[at] = min(whole[at], one[at])
			}
		}
		for i := t.at; i < t.at+len(t.words); i++ {
			for at, value := range whole {
				all[i][at] = max(all[i][at], translatedCounts*value)
			}
		}
	}
	return all
}

// scoredWord returns what a word counts for each section.
func (x *index) scoredWord(query string, marked map[string]bool) map[int]float64 {
	best := map[int]float64{}
	for match, counts := range x.matches(query) {
		marked[match] = true
		for _, h := range x.places[match] {
			value := counts * h.weight / (h.weight + saturation + x.entries[h.entry].length/longWords)
			best[h.entry] = max(best[h.entry], value)
		}
	}
	return best
}

// queryWords returns the words of a query, each once, without stop words unless it has no others.
func queryWords(query string) []string {
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	var words, others []string
	for _, w := range wordsOf(query) {
		switch {
		case len(words) == maxWords || slices.Contains(words, w.folded):
		case isStop(w.folded):
			others = append(others, w.folded)
		default:
			words = append(words, w.folded)
		}
	}
	if len(words) == 0 {
		return others[:min(len(others), maxWords)]
	}
	return words
}

// shown returns the best sections.
func (x *index) shown(all []ranked, marked map[string]bool) []found {
	var list []found
	for _, r := range all[:min(len(all), maxFound)] {
		if r.score < leastTop*all[0].score {
			break
		}
		e := &x.entries[r.entry]
		list = append(list, found{Address: e.address, Path: e.path, Language: e.language, Excerpt: excerpt(e.plain, marked)})
	}
	return list
}

// Lengths of an excerpt, in words.
const (
	excerptWords  = 32
	excerptBefore = 6 // the first mark
)

// excerpt returns the part of a text with the most different words that were looked for, which are marked.
func excerpt(plain string, marked map[string]bool) []piece {
	words := wordsOf(plain)
	if len(words) == 0 {
		return nil
	}
	first := max(0, densest(words, marked)-excerptBefore)
	last := min(len(words), first+excerptWords)
	var pieces []piece
	at := words[first].from
	if first == 0 {
		at = 0
	} else {
		pieces = append(pieces, piece{Text: "… "})
	}
	for _, w := range words[first:last] {
		if marked[w.folded] {
			pieces = append(pieces, piece{Text: plain[at:w.from]}, piece{Text: plain[w.from:w.to], Mark: true})
			at = w.to
		}
	}
	end := len(plain)
	if last < len(words) {
		end = words[last-1].to
	}
	pieces = append(pieces, piece{Text: plain[at:end]})
	if last < len(words) {
		pieces = append(pieces, piece{Text: " …"})
	}
	return pieces
}

// densest returns the first word of the run with the most different marked words; 0 if none is marked.
func densest(words []word, marked map[string]bool) int {
	best, most := 0, 0
	for i := range words {
		if !marked[words[i].folded] {
			continue
		}
		different := map[string]bool{}
		for _, w := range words[i:min(len(words), i+excerptWords-excerptBefore)] {
			if marked[w.folded] {
				different[w.folded] = true
			}
		}
		if len(different) > most {
			best, most = i, len(different)
		}
	}
	return best
}
