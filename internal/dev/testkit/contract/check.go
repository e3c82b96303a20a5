package contract

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"banca/internal/platform/gzipped"
)

// Exchange is a request and its answer.
type Exchange struct {
	Method, Path string
	Status       int
	Header       http.Header
	Body         []byte
}

// Check reports how an answer differs from the document; nil if it fits, or if the document does not describe the
// path. Errors: those of [Document.Describe].
func (d *Document) Check(x *Exchange) error {
	method := x.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, operation, ok := d.Operation(method, x.Path)
	if path == "" || (!ok && (x.Status == http.StatusMethodNotAllowed || method == http.MethodOptions)) {
		return nil
	}
	if !ok {
		return fmt.Errorf("%s %s: the document has no such method, the answer is %d", method, path, x.Status)
	}
	if err := d.checkResponse(operation, []string{"paths", path, strings.ToLower(method)}, x); err != nil {
		return fmt.Errorf("%s %s (%v): answer %d: %w", x.Method, path, operation["operationId"], x.Status, err)
	}
	return nil
}

func (d *Document) checkResponse(operation map[string]any, at []string, x *Exchange) error {
	responses, _ := operation["responses"].(map[string]any)
	status := strconv.Itoa(x.Status)
	response, pointer := d.at(d.root, append(at, "responses", status)...)
	if response == nil {
		return fmt.Errorf("the status is not among %v", slices.Sorted(maps.Keys(responses)))
	}
	if x.Method == http.MethodHead {
		return nil
	}
	content, _ := d.at(response, "content")
	types, _ := content.(map[string]any)
	if len(types) == 0 {
		if len(bytes.TrimSpace(x.Body)) > 0 && x.Status != http.StatusSwitchingProtocols {
			return fmt.Errorf("a body %.200q where the document has none", x.Body)
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("content type %q: %w", x.Header.Get("Content-Type"), err)
	}
	if types[media] == nil {
		return fmt.Errorf("content type %s is not among %v", media, slices.Sorted(maps.Keys(types)))
	}
	if media != "application/json" && !strings.HasSuffix(media, "+json") {
		return nil
	}
	body, err := x.content()
	if err != nil {
		return err
	}
	if err := d.checkJSON(pointer+"/content/"+escape(media)+"/schema", body); err != nil {
		return err
	}
	return checkCode(response, media, body)
}

// content returns the body without its content coding.
func (x *Exchange) content() ([]byte, error) {
	coding := x.Header.Get("Content-Encoding")
	if coding == "" {
		return x.Body, nil
	}
	if coding != gzipped.Coding {
		return nil, fmt.Errorf("content coding %q", coding)
	}
	r, err := gzip.NewReader(bytes.NewReader(x.Body))
	if err != nil {
		return nil, fmt.Errorf("a body that is not gzip: %w", err)
	}
	return io.ReadAll(r)
}

// checkCode requires the code of a problem to be among those that the response lists.
func checkCode(response any, media string, body []byte) error {
	if media != "application/problem+json" {
		return nil
	}
	var p struct{ Code string }
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	described, _ := response.(map[string]any)
	listed, _ := described["x-error-codes"].(map[string]any)
	if listed[p.Code] == nil {
		return fmt.Errorf("the code %s is not among %v", p.Code, slices.Sorted(maps.Keys(listed)))
	}
	return nil
}

func (d *Document) checkJSON(pointer string, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return errors.Join(errors.New("the body is not JSON"), err)
	}
	if err := d.validate(pointer, value); err != nil {
		return fmt.Errorf("%w\nbody: %.2000s", err, body)
	}
	return nil
}
