package lockorder

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"banca/storage"
)

// lockUse is a lock that a statement takes. One with SKIP LOCKED or pg_try_... does not wait.
type lockUse struct {
	lock  storage.Lock
	waits bool
}

// lockUses reads from the text of a statement which of the declared locks it takes: advisory locks by their class, rows
// by UPDATE, DELETE, SELECT ... FOR UPDATE and INSERT ... ON CONFLICT DO UPDATE. It does not see the locks that foreign keys
// and triggers take, nor the order within the statement.
func lockUses(sql string) []lockUse {
	uses := advisoryUses(sql)
	p := &lockParser{frames: []lockFrame{{}}}
	for _, token := range sqlTokens().FindAllString(sql, -1) {
		p.read(token)
	}
	p.finish()
	return append(uses, p.uses...)
}

var sqlTokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9.]*|"[^"]*"|'[^']*'|[(),]`) }) //nolint:gochecknoglobals // a constant

var advisoryCall = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a constant
	return regexp.MustCompile(`pg_(try_)?advisory_xact_lock(?:_shared)?\(\s*([^,)]*)(,)?`)
})

func advisoryUses(sql string) []lockUse {
	var uses []lockUse
	for _, call := range advisoryCall().FindAllStringSubmatch(sql, -1) {
		waits := call[1] == ""
		if call[3] == "" { // one part: a draw
			uses = append(uses, lockUse{storage.LockDraw, waits})
			continue
		}
		class, err := strconv.ParseInt(strings.TrimSpace(call[2]), 10, 32)
		for l, info := range storage.Locks() {
			if err == nil && info.Class == int32(class) && info.Class != 0 {
				uses = append(uses, lockUse{storage.Lock(l), waits})
			}
		}
	}
	return uses
}

// lockParser walks through the words of a statement. A frame is a pair of parentheses with the tables named in it.
type lockParser struct {
	frames []lockFrame
	words  []string // of the statement so far
	uses   []lockUse
}

type lockFrame struct {
	tables []lockTable
	of     []string // aliases of FOR UPDATE OF; all tables without one
	insert string   // the table of INSERT INTO
	locks  bool
	skips  bool
	list   lockList
}

// lockList is the comma-separated list in which the words of a frame are.
type lockList uint8

const (
	noList lockList = iota
	fromList
	ofList
)

type lockTable struct{ name, alias string }

func (p *lockParser) read(token string) {
	frame := &p.frames[len(p.frames)-1]
	word := strings.ToUpper(strings.Trim(token, `"`))
	name := strings.TrimPrefix(strings.ToLower(word), "public.")
	if word == "ONLY" || word == "AS" {
		return // no name, and no place between a table and its alias
	}
	switch before := p.before(0); {
	case token == ",":
	case token == "(":
		if before == "FROM" || before == "JOIN" {
			frame.list = fromList
		}
		p.frames = append(p.frames, lockFrame{})
	case token == ")":
		p.pop()
	case before == "FROM" && p.before(1) == "DELETE", before == "UPDATE" && p.updates(1):
		p.take(name, true)
	case before == "INTO" && p.before(1) == "INSERT":
		frame.insert = name
	case word == "UPDATE" && before == "DO": // of the row that an INSERT conflicts with
		p.take(frame.insert, true)
	case before == "FROM", before == "JOIN", before == "," && frame.list == fromList:
		frame.tables = append(frame.tables, lockTable{name: name, alias: name})
		frame.list = fromList
	case word == "UPDATE" && (before == "FOR" || before == "KEY"), word == "SHARE" && (before == "FOR" || before == "KEY"):
		frame.locks = true
	case before == "OF" && frame.locks, before == "," && frame.list == ofList:
		frame.of = append(frame.of, name)
		frame.list = ofList
	case word == "LOCKED" && before == "SKIP":
		frame.skips = true
	case endsFrom(word):
		frame.list = noList
	case frame.list == fromList && p.named() && !joins(word) && len(frame.tables) > 0:
		frame.tables[len(frame.tables)-1].alias = name
	}
	p.words = append(p.words, word)
}

// named reports whether the word before the current one is a table after FROM, JOIN or a comma.
func (p *lockParser) named() bool {
	switch p.before(1) {
	case "FROM", "JOIN", ",":
		return true
	}
	return false
}

// joins reports whether a word after a table joins another one, so that it is no alias.
func joins(word string) bool {
	switch word {
	case "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "LATERAL", "ON", "USING", "TABLESAMPLE":
		return true
	}
	return false
}

// endsFrom reports whether a word ends the list of FROM.
func endsFrom(word string) bool {
	switch word {
	case "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "UNION", "INTERSECT", "EXCEPT", "RETURNING", "SET", "SELECT":
		return true
	}
	return false
}

// before returns the word n places before the current one.
func (p *lockParser) before(n int) string {
	if at := len(p.words) - 1 - n; at >= 0 {
		return p.words[at]
	}
	return ""
}

// updates reports whether the word UPDATE, n places back, begins a statement.
func (p *lockParser) updates(n int) bool {
	switch p.before(n) {
	case "FOR", "KEY", "DO", "ON":
		return false
	}
	return true
}

func (p *lockParser) pop() {
	if len(p.frames) == 1 {
		return
	}
	p.close(p.frames[len(p.frames)-1])
	p.frames = p.frames[:len(p.frames)-1]
}

func (p *lockParser) finish() {
	for _, frame := range p.frames {
		p.close(frame)
	}
}

func (p *lockParser) close(frame lockFrame) {
	for _, t := range frame.tables {
		if frame.locks && (len(frame.of) == 0 || slices.Contains(frame.of, t.alias)) {
			p.take(t.name, !frame.skips)
		}
	}
}

func (p *lockParser) take(table string, waits bool) {
	for l, info := range storage.Locks() {
		if info.Table != "" && info.Table == table {
			p.uses = append(p.uses, lockUse{storage.Lock(l), waits})
		}
	}
}
