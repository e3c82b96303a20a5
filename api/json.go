package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// errDuplicateKey refuses {"amount":"1","amount":"100"}, which two readers understand differently.
var errDuplicateKey = errors.New("an object has the same key twice")

// fewKeys is up to where comparing each key with the others is quicker than a map.
const fewKeys = 16

// jsonFormat is huma's JSON with one rule more. huma decodes a body twice, first into an any for the
// validation; the keys are checked on that occasion.
func jsonFormat() huma.Format {
	return huma.Format{
		Marshal: huma.DefaultJSONFormat.Marshal,
		Unmarshal: func(data []byte, v any) error {
			if err := json.Unmarshal(data, v); err != nil {
				return err
			}
			if _, first := v.(*any); first && hasDuplicateKeys(data) {
				return errDuplicateKey
			}
			return nil
		},
	}
}

// hasDuplicateKeys walks over valid JSON once. Keys that differ in case only count as the same, as they
// do for encoding/json.
func hasDuplicateKeys(data []byte) bool {
	var open []keySet // one for each object or array around the position
	key := false      // whether a string at the position is a key
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			key = data[i] == '{'
			open = append(open, keySet{object: key})
		case '}', ']':
			open, key = open[:len(open)-1], false
		case ',':
			key = open[len(open)-1].object
		case '"':
			end := stringEnd(data, i)
			if key && !open[len(open)-1].add(data[i:end]) {
				return true
			}
			i, key = end-1, false
		}
	}
	return false
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// keySet holds the keys of one object. Most objects have few keys without escapes, and those cost nothing
// but comparisons.
type keySet struct {
	object bool
	few    [][]byte
	many   map[string]struct{}
}

// add reports whether the key, a JSON string, is new.
func (s *keySet) add(quoted []byte) bool {
	key := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		var text string
		if json.Unmarshal(quoted, &text) != nil {
			return false // cannot be: the document was decoded
		}
		key = []byte(text)
	}
	if s.many != nil {
		return s.addMany(key)
	}
	for _, known := range s.few {
		if bytes.EqualFold(known, key) {
			return false
		}
	}
	if s.few == nil {
		s.few = make([][]byte, 0, fewKeys/2)
	}
	if s.few = append(s.few, key); len(s.few) == fewKeys {
		s.many = make(map[string]struct{}, 2*fewKeys)
		for _, known := range s.few {
			s.addMany(known)
		}
	}
	return true
}

func (s *keySet) addMany(key []byte) bool {
	folded := strings.ToLower(string(key))
	_, known := s.many[folded]
	s.many[folded] = struct{}{}
	return !known
}
