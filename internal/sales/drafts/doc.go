// Package drafts reads bets as buyers write them in messages, such as "20 al leon y burro" or "123 456 x 5 tachira noche". It is a grammar: a line of the
// text that has exactly one reading becomes bet lines, a line with none or with several is refused as a whole. A line of greetings alone is left out.
//
// The stages are: words of the text (lexer.go), what the words mean (senses.go, vocabulary.go), games and hours (place.go), bets (grammar.go), and
// checked bet lines on draws (read.go). docs/pos.md has the forms.
package drafts
