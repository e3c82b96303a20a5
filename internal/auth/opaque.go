package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Sizes of the second part of an opaque token: what makes it unguessable and what proves it ours.
const (
	tokenRandom = sha256.Size
	tokenMAC    = 16
)

// opaqueTokens creates and verifies tokens "<session id>.<random and MAC, base64url>".
//
// The MAC has two purposes. An old refresh token ends its session, so a session id alone must not suffice to forge an
// "old" one. And a token of one purpose cannot serve another, without any query.
type opaqueTokens struct{ key []byte }

// newOpaqueTokens derives the key of a purpose from the service's secret.
func newOpaqueTokens(secret []byte, purpose string) opaqueTokens {
	return opaqueTokens{key: mac(secret, []byte("opaque token: "+purpose))}
}

// issue returns a new token of a session and the hash to store.
func (o opaqueTokens) issue(sessionID uuid.UUID) (token, hash string) {
	var random [tokenRandom]byte
	_, _ = rand.Read(random[:]) // never fails, see its documentation
	return o.token(sessionID, random[:])
}

// next returns the token that replaces another one for a client, and the hash to store. It is the same each time.
func (o opaqueTokens) next(sessionID uuid.UUID, token, client string) (next, hash string) {
	return o.token(sessionID, mac(o.key, []byte("next:"+token+"."), []byte(client)))
}

func (o opaqueTokens) token(sessionID uuid.UUID, random []byte) (token, hash string) {
	secret := slices.Concat(random, o.sum(sessionID, random))
	token = sessionID.String() + "." + base64.RawURLEncoding.EncodeToString(secret)
	return token, hashToken(token)
}

// open returns the session of a token that this service issued for this purpose, at some time.
func (o opaqueTokens) open(token string) (sessionID uuid.UUID, ok bool) {
	id, encoded, _ := strings.Cut(token, ".")
	if len(id) != len(uuid.Nil.String()) || len(encoded) != base64.RawURLEncoding.EncodedLen(tokenRandom+tokenMAC) {
		return uuid.Nil, false
	}
	sessionID, err := uuid.Parse(id)
	if err != nil {
		return uuid.Nil, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || !hmac.Equal(secret[tokenRandom:], o.sum(sessionID, secret[:tokenRandom])) {
		return uuid.Nil, false
	}
	return sessionID, true
}

func (o opaqueTokens) sum(sessionID uuid.UUID, random []byte) []byte {
	return mac(o.key, sessionID[:], random)[:tokenMAC]
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// hashToken is what user_sessions.token_hash holds of a token.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
