package simulators

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"image/png"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
)

// States of an account.
const (
	stateClosed  = "disconnected"
	stateQR      = "qr"
	stateOpen    = "open"
	statePasskey = "passkey_required"
	stateBanned  = "banned"
	stateLicence = "license_required"
)

// simulatedPhone is the number of every linked telephone.
const simulatedPhone = "584140000001"

// qrLife is how long a QR code is shown.
const qrLife = 20 * time.Second

type accountKey struct{ Protocol, Name string }

// account is an account of a protocol: an instance, a session or a number.
type account struct {
	accountKey

	State   string
	Webhook string // the address, empty for none
	Secret  string // signs the webhook, or is its header
	Header  string // of Evolution: the name of the header
}

// accounts are the accounts of a gateway.
type accounts struct {
	mu    sync.Mutex
	known map[accountKey]*account
}

// create returns an account, new or not.
func (s *accounts) create(key accountKey) *account {
	if s.known[key] == nil {
		s.known[key] = &account{accountKey: key, State: stateClosed}
	}
	return s.known[key]
}

// get returns an account; one that is not known is closed and has no webhook.
func (s *accounts) get(key accountKey) account {
	a, _ := s.find(key)
	return a
}

func (s *accounts) find(key accountKey) (a account, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[key]; known != nil {
		return *known, true
	}
	return account{accountKey: key, State: stateClosed}, false
}

// open makes an account known that needs no linking.
func (s *accounts) open(key accountKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[key] == nil {
		s.create(key).State = stateOpen
	}
}

// change creates an account if it is new, changes it and returns it.
func (s *accounts) change(key accountKey, change func(*account)) account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.create(key)
	change(a)
	return *a
}

func (s *accounts) remove(key accountKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, key)
}

// list returns all accounts in order.
func (s *accounts) list() []account {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := make([]account, 0, len(s.known))
	for _, a := range s.known {
		result = append(result, *a)
	}
	slices.SortFunc(result, func(a, b account) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Name, b.Name))
	})
	return result
}

// startLinking makes a closed account show a QR code.
func startLinking(a *account) {
	if a.State == stateClosed {
		a.State = stateQR
	}
}

// code is the text of the QR code that the account shows now.
func (a account) code(now time.Time) string {
	return "2@" + a.Name + "," + strconv.FormatInt(now.Unix()/int64(qrLife/time.Second), 10)
}

// picturePNG returns a QR code as base64 of a PNG.
func picturePNG(text string) string {
	const side = 264
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err == nil {
		code, err = barcode.Scale(code, side, side)
	}
	if err != nil {
		return ""
	}
	var out bytes.Buffer
	if png.Encode(&out, code) != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
