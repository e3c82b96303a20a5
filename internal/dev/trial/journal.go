package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"
)

// The kinds of operations.
const (
	opSale     = "sale"
	opCancel   = "cancellation"
	opDeposit  = "deposit"
	opWithdraw = "withdrawal"
	opRequest  = "payment request"
	opQuery    = "bank query"
	opNotify   = "bank notification"
	opResult   = "result"
	opVerify   = "verification"
	opCorrect  = "correction"
	opPay      = "prize payment"
	opOpen     = "opening of a close"
	opClose    = "close"
	opExport   = "export"
)

// operation is one request of a client with its certain answer, once there is one.
type operation struct {
	Kind   string         `json:"op"`
	Key    string         `json:"key,omitempty"`
	Path   string         `json:"path"`
	Body   any            `json:"body,omitempty"`
	Status int            `json:"status"` // of the last answer; 0 without one
	Code   string         `json:"code,omitempty"`
	Data   map[string]any `json:"-"`

	actor      *actor
	begun      bool // it is in the journal
	attempts   int
	unanswered int // attempts whose effect the client does not know
	certain    bool
	amount     int64 // of money, in minor units
	point      int
	of         *operation // what it cancels or pays
}

// good reports whether the operation was done.
func (o *operation) good() bool { return o.certain && o.Status < http.StatusMultipleChoices }

func (o *operation) text(name string) string {
	s, _ := o.Data[name].(string)
	return s
}

// attempt is a line of the journal.
type attempt struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"op"`
	Key     string    `json:"key,omitempty"`
	Path    string    `json:"path"`
	Body    any       `json:"body,omitempty"`
	Attempt int       `json:"attempt"`
	API     string    `json:"api"`
	Fault   string    `json:"fault,omitempty"`
	Status  int       `json:"status"` // 0 without an answer
	Answer  string    `json:"answer,omitempty"`
	Millis  int64     `json:"ms"`
}

// journal is what clients saw, kept in a file and in memory.
type journal struct {
	mu         sync.Mutex
	file       *os.File
	buffer     *bufio.Writer
	operations []*operation
	lost       error
}

func openJournal(path string) (*journal, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &journal{file: f, buffer: bufio.NewWriter(f)}, nil
}

// begin adds an operation before its first attempt. One that the end of the load kept from its first attempt is there already when it is resolved.
func (j *journal) begin(o *operation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !o.begun {
		o.begun, j.operations = true, append(j.operations, o)
	}
}

// write adds an attempt.
func (j *journal) write(a *attempt) {
	line, err := json.Marshal(a)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		_, err = j.buffer.Write(append(line, '\n'))
	}
	j.lost = errors.Join(j.lost, err)
}

// all returns the operations of a kind so far, or all.
func (j *journal) all(kind string) []*operation {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []*operation
	for _, o := range j.operations {
		if kind == "" || o.Kind == kind {
			list = append(list, o)
		}
	}
	return list
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.lost, j.buffer.Flush(), j.file.Close())
}
