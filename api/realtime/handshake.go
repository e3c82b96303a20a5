package realtime

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"banca/api/problem"
	"banca/internal/devices"
	"banca/internal/platform/apperr"
)

const (
	subprotocol  = "banca"
	bearerPrefix = "bearer." // of the subprotocol that is a token
	bearerScheme = "Bearer "
	retryAfter   = 5 * time.Second
	maxDeviceIDs = 36

	// Small buffers: a connection mostly waits. A longer message is written past the buffer.
	readBuffer  = 128
	writeBuffer = 512
)

// Errors of the handshake.
var (
	ErrOrigin   = apperr.New(apperr.Forbidden, "ORIGIN_NOT_ALLOWED", "pages of this origin may not connect")
	ErrDeviceID = apperr.New(apperr.NotFound, "DEVICE_NOT_FOUND", "deviceId and sessionId must be ids of a device and its session")
)

// ServeHTTP checks the user, the device and its session, and upgrades the connection. Every refusal is an ordinary
// answer with a problem, before anything is upgraded.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.connect(w, r); err != nil {
		p := problem.From(err)
		if p.Status == http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
			h.deps.Log.LogAttrs(r.Context(), slog.LevelError, "connection failed", slog.Any("error", err))
		}
		p.Write(w, r)
	}
}

func (h *Hub) connect(w http.ResponseWriter, r *http.Request) error {
	by, err := h.deps.Auth.Authenticate(r.Context(), TokenOf(r))
	if err != nil {
		return err
	}
	if !h.allowed(r) {
		return ErrOrigin
	}
	ref, err := idsOf(r.URL.Query())
	if err != nil {
		return err
	}
	binding, err := h.deps.Sessions.MayBind(r.Context(), by, ref)
	if err != nil {
		return err
	}
	if upgrade := upgradeProblem(w, r); upgrade != nil {
		return upgrade
	}
	c := &conn{hub: h, session: ref.SessionID, entity: binding.EntityID, user: by.UserID, userSession: by.SessionID}
	c.path.Store(&binding.EntityPath)
	if err := h.add(c); err != nil {
		return err
	}
	if err := h.deps.Sessions.Bind(r.Context(), &binding); err != nil {
		h.giveUp(c)
		return err
	}
	news := h.bound(c, &binding)
	ws, err := accept(w, r)
	if err != nil { // it has answered
		h.giveUp(c)
		h.deps.Log.DebugContext(r.Context(), "not upgraded", "error", err)
		return nil
	}
	h.deps.Bus.Announce(r.Context(), news)
	c.start(ws) //nolint:contextcheck // it outlives the request
	return nil
}

// giveUp takes a connection off that was never served.
func (h *Hub) giveUp(c *conn) {
	h.remove(c)
	h.running.Done()
}

// TokenOf returns the access token of a handshake: in the Authorization header, for browsers in a subprotocol, and as a
// last resort in the query. It returns "" without one.
func TokenOf(r *http.Request) string {
	header := r.Header.Get("Authorization")
	if len(header) > len(bearerScheme) && strings.EqualFold(header[:len(bearerScheme)], bearerScheme) {
		return header[len(bearerScheme):]
	}
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for offered := range strings.SplitSeq(line, ",") {
			if token, ok := strings.CutPrefix(strings.TrimSpace(offered), bearerPrefix); ok {
				return token
			}
		}
	}
	return r.URL.Query().Get("token")
}

// idsOf reads the device and session of a handshake. Errors: ErrDeviceID.
func idsOf(query url.Values) (ref devices.SessionRef, err error) {
	for _, one := range []struct {
		name string
		into *uuid.UUID
	}{{"deviceId", &ref.DeviceID}, {"sessionId", &ref.SessionID}} {
		text := query.Get(one.name)
		if len(text) != maxDeviceIDs || uuid.Validate(text) != nil {
			return ref, ErrDeviceID.WithDetails(apperr.Detail{Location: "query." + one.name, Message: "expected a UUID"})
		}
		*one.into = uuid.MustParse(text)
	}
	return ref, nil
}

// allowed reports whether the page that connects, if it is one, may: other programs send no origin.
func (h *Hub) allowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) || h.origins[u.Scheme+"://"+u.Host]
}

// upgradeProblem refuses a request that is not a handshake, before an older connection would be closed for it.
func upgradeProblem(w http.ResponseWriter, r *http.Request) error {
	_, hijackable := w.(http.Hijacker)
	if r.ProtoMajor != 1 || !hijackable || !has(r.Header, "Connection", "upgrade") || !has(r.Header, "Upgrade", "websocket") {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		return problem.New(http.StatusUpgradeRequired, "UPGRADE_REQUIRED", "this path speaks WebSocket over HTTP/1.1")
	}
	const keySize = 24 // 16 bytes in base64
	if r.Header.Get("Sec-WebSocket-Version") != "13" || len(r.Header.Get("Sec-WebSocket-Key")) != keySize {
		return problem.New(http.StatusBadRequest, "BAD_HANDSHAKE", "Sec-WebSocket-Version must be 13, and Sec-WebSocket-Key 16 bytes in base64")
	}
	return nil
}

// has reports whether a header that is a list holds a word.
func has(header http.Header, name, word string) bool {
	for _, line := range header.Values(name) {
		for one := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(one), word) {
				return true
			}
		}
	}
	return false
}

// accept upgrades without compression, whose state would take more memory than all the rest, and with small
// buffers. Origins were checked.
func accept(w http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	ws, err := websocket.Accept(&lean{ResponseWriter: w}, r, &websocket.AcceptOptions{
		Subprotocols: []string{subprotocol}, InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxIncoming)
	return ws, nil
}

// lean gives the connection that is taken over small buffers instead of the server's.
type lean struct{ http.ResponseWriter }

// Unwrap implements the method that http.ResponseController looks for.
func (l *lean) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// Hijack implements http.Hijacker.
func (l *lean) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	netConn, rw, err := http.NewResponseController(l.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if rw.Reader.Buffered() > 0 { // a client that did not wait for the answer; keep its bytes
		return netConn, rw, nil
	}
	return netConn, bufio.NewReadWriter(bufio.NewReaderSize(netConn, readBuffer), bufio.NewWriterSize(netConn, writeBuffer)), nil
}

// WriteHeaderNow writes the answer's head, which gin's writer would hold back.
func (l *lean) WriteHeaderNow() {
	if gin, ok := l.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		gin.WriteHeaderNow()
	}
}

// isPing reports whether a client's message is the only one it may send, for clients that cannot send pings.
func isPing(message []byte) bool {
	var m struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(message, &m) == nil && m.Type == "ping"
}
