package completion

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readStream reads an answer that arrives as server-sent events.
func (a *attempt) readStream(r *bufio.Reader) (*Answer, error) {
	s := &stream{attempt: a, message: merged{}}
	for {
		data, err := nextData(r)
		if errors.Is(err, io.EOF) {
			return s.end()
		}
		if err != nil {
			return nil, err
		}
		if string(data) == "[DONE]" {
			s.done = true
			return s.end()
		}
		if err := s.event(data); err != nil {
			return nil, err
		}
	}
}

// nextData returns the data of the next event, one line as all providers send it. Comments, other fields and empty
// lines are skipped.
func nextData(r *bufio.Reader) ([]byte, error) {
	for {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data = bytes.TrimSpace(data); len(data) > 0 {
				return data, nil
			}
		}
	}
}

// readLine reads a line of at most maxLine bytes. A last line without its end is cut, so it is not returned.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errTooLarge
		}
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// stream is the received part of a streamed answer.
type stream struct {
	*attempt

	message merged
	text    int // bytes
	finish  string
	done    bool
}

func (s *stream) event(data []byte) error {
	if e := inner(http.Header{}, data); e != nil {
		return e
	}
	var w wireAnswer
	if err := json.Unmarshal(data, &w, jsontext.AllowDuplicateNames(true)); err != nil {
		return errProtocol
	}
	if w.Usage != nil {
		s.counted = w.Usage
	}
	for i := range w.Choices {
		choice := &w.Choices[i]
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			s.finish = *choice.FinishReason
		}
		if len(choice.Delta) == 0 || choice.Delta.Kind() == 'n' {
			continue
		}
		if err := s.delta(choice.Delta); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) delta(raw jsontext.Value) error {
	var known struct {
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(raw, &known, jsontext.AllowDuplicateNames(true)); err != nil {
		return errProtocol
	}
	if err := s.message.add(raw); err != nil {
		return err
	}
	if known.Content == nil {
		s.received += len(raw) - len("{}")
		return nil
	}
	s.received += len(*known.Content)
	if s.text += len(*known.Content); s.text > maxText {
		return errTooLarge
	}
	return s.show(*known.Content)
}

// end checks the answer after the last event. A stream that ends without a reason and without its mark has broken off.
func (s *stream) end() (*Answer, error) {
	if s.finish == "" && !s.done {
		return nil, &Error{Kind: Cut}
	}
	if len(s.message) == 0 {
		return nil, &Error{Kind: Empty}
	}
	raw, err := s.message.value()
	if err != nil {
		return nil, errProtocol
	}
	return s.answer(raw, s.finish)
}
