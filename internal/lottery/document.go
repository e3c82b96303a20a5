package lottery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth bounds how deep an answer may nest.
const maxDepth = 32

// Why a document is not read.
var (
	errNotUTF8   = errors.New("the answer is not UTF-8")
	errNotJSON   = errors.New("the answer is no JSON")
	errTooDeep   = errors.New("the answer nests too deep")
	errRepeated  = errors.New("an object of the answer has a key twice")
	errTwoValues = errors.New("there is more behind the answer's document")
)

// checkDocument refuses invalid JSON and documents with repeated keys: which of two equal keys counts depends on the
// parser.
func checkDocument(body []byte) error {
	if !utf8.Valid(body) {
		return errNotUTF8
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var open []*level
	for {
		token, err := decoder.Token()
		if err != nil {
			return fmt.Errorf("%w", errNotJSON)
		}
		if open, err = step(open, token); err != nil {
			return err
		}
		if len(open) == 0 {
			break
		}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errTwoValues
	}
	return nil
}

// level is an open object or array; keys is nil for an array, and named reports that the last token was a key.
type level struct {
	keys  map[string]bool
	named bool
}

// step consumes one token and returns the open levels after it.
func step(open []*level, token json.Token) ([]*level, error) {
	if key, ok := token.(string); ok && len(open) > 0 && open[len(open)-1].keys != nil && !open[len(open)-1].named {
		top := open[len(open)-1]
		if top.keys[key] {
			return open, errRepeated
		}
		top.keys[key], top.named = true, true
		return open, nil
	}
	switch token {
	case json.Delim('{'), json.Delim('['):
		if len(open) > 0 {
			open[len(open)-1].named = false
		}
		next := &level{}
		if token == json.Delim('{') {
			next.keys = map[string]bool{}
		}
		if len(open) == maxDepth {
			return open, errTooDeep
		}
		return append(open, next), nil
	case json.Delim('}'), json.Delim(']'):
		return open[:len(open)-1], nil
	}
	if len(open) > 0 {
		open[len(open)-1].named = false
	}
	return open, nil
}
