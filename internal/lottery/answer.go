package lottery

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

// Fetched is the answer of one source about a draw.
type Fetched struct {
	Source  string
	Trusted bool
	// The result in the game's codes. Value is set if Err is nil, the others if the source has them.
	Value    string
	Sign     string
	Flags    []string
	Wildcard string
	Evidence Evidence
	Err      error // ErrNotYet, ErrUnavailable, ErrMalformed, ErrRefused or ErrConfig
}

// fetch asks one source.
func (c *Client) fetch(ctx context.Context, cfg *Config, s *Source, ref DrawRef) Fetched {
	f := Fetched{Source: s.Name, Trusted: s.Trusted}
	var body []byte
	f.Evidence, body, f.Err = c.call(ctx, cfg, s, &s.Result.Request, ref)
	if f.Err != nil {
		return f
	}
	v, err := c.values(cfg, s, ref)
	if err != nil {
		f.Err = err
		return f
	}
	f.Err = f.read(s, v, body)
	return f
}

// read finds the draw's result in a document. Errors: ErrNotYet, ErrMalformed, ErrConfig.
func (f *Fetched) read(s *Source, v *values, body []byte) error {
	if err := checkDocument(body); err != nil {
		return ErrMalformed.WithCause(err)
	}
	item, err := find(s.Result, v, gjson.ParseBytes(body))
	if err != nil {
		return err
	}
	read := Fetched{}
	if read.Value, err = s.value(item.Get(s.Result.Value)); err != nil {
		return err
	}
	if read.Sign, err = s.sign(optional(item, s.Result.Sign)); err != nil {
		return err
	}
	if read.Flags, err = words(optional(item, s.Result.Flags)); err != nil {
		return err
	}
	wildcard, err := words(optional(item, s.Result.Wildcard))
	if err != nil {
		return err
	}
	if len(wildcard) > 1 {
		return malformed("there are several wildcards")
	}
	if len(wildcard) == 1 {
		read.Wildcard = wildcard[0]
	}
	f.Value, f.Sign, f.Flags, f.Wildcard = read.Value, read.Sign, read.Flags, read.Wildcard
	return nil
}

// optional returns the value at an optional path, a zero Result without a path.
func optional(item gjson.Result, path string) gjson.Result {
	if path == "" {
		return gjson.Result{}
	}
	return item.Get(path)
}

func malformed(text string) error { return ErrMalformed.WithCause(errors.New(text)) }

// find returns the draw's item of a document. None is ErrNotYet, two are ErrMalformed: which one counts cannot
// be known.
func find(r *Result, v *values, document gjson.Result) (gjson.Result, error) {
	items := document
	if r.Items != "" {
		items = document.Get(r.Items)
	}
	if !items.Exists() {
		return gjson.Result{}, malformed("there is nothing at the path of items")
	}
	var found []gjson.Result
	candidates := []gjson.Result{items}
	if items.IsArray() || items.Type == gjson.Null {
		candidates = items.Array()
	}
	for _, item := range candidates {
		if !item.IsObject() {
			return gjson.Result{}, malformed("an item is no object")
		}
		ours, err := matches(r.Match, v, item)
		if err != nil {
			return gjson.Result{}, err
		}
		if ours {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 0:
		return gjson.Result{}, ErrNotYet
	case 1:
		return found[0], nil
	default:
		return gjson.Result{}, malformed(fmt.Sprintf("%d items are of the draw", len(found)))
	}
}

// matches reports whether every path of an item has the value of its template.
func matches(match map[string]string, v *values, item gjson.Result) (bool, error) {
	for path, text := range match {
		t, err := parseTemplate(text, false)
		if err != nil {
			return false, ErrConfig.WithCause(err)
		}
		got, ok := scalar(item.Get(path))
		if !ok || got != t.render(v, nil) {
			return false, nil
		}
	}
	return true, nil
}
