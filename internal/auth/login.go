package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/phone"
	"banca/models"
)

const (
	maxLoginName  = 200
	maxClientText = 300

	// BrowserTTL is how long a browser's session holds, like its cookie. Nothing extends it.
	BrowserTTL = 12 * time.Hour
)

// Credentials are a name and a password. Exactly one name is given; Identifier may also be an email
// address or a telephone number.
type Credentials struct {
	Email      string
	Phone      string
	Identifier string
	Password   string
	Code       string // sent by RequestCode, in place of the password
	TOTP       string // of the authenticator app, for users with TOTP
}

// Client is where a login comes from, kept with its session for people to recognise it.
type Client struct {
	Address     string `json:"ip,omitempty"`
	UserAgent   string `json:"agent,omitempty"`
	Location    string `json:"location,omitempty"`    // sent by the client, unverified
	Fingerprint string `json:"fingerprint,omitempty"` // sent by the client, unverified; package devices proves fingerprints

	Tokens []string `json:"-"` // client tokens of earlier logins, of any user
}

// Tokens are a client's tokens of its session.
type Tokens struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration // of the access token
	Client    string        // after a login: proves this login when the client logs in again
}

// BrowserTokens are the tokens that a browser keeps in cookies.
type BrowserTokens struct {
	Session string
	Client  string // as of Tokens
}

// Login opens a session. Errors: ErrInvalidCredentials for every cause, ErrTOTPRequired after the right password,
// ErrLoginName, ErrTooManyLogins, ErrBusy.
func (s *Service) Login(ctx context.Context, c Credentials, from Client) (Tokens, User, error) {
	row, err := s.verify(ctx, c, from)
	if err != nil {
		return Tokens{}, User{}, err
	}
	user := userOf(&row)
	sessionID := uuid.Must(uuid.NewV7())
	refresh, hash := s.refresh.issue(sessionID)
	if err := s.openSession(ctx, &row, &newSession{id: sessionID, hash: hash, confirmed: true}, from); err != nil {
		return Tokens{}, User{}, err
	}
	tokens, err := s.tokens(&user, sessionID, refresh)
	tokens.Client = s.clientToken(&row, from.Tokens)
	return tokens, user, err
}

// LoginBrowser opens a session for a browser, which keeps the returned tokens in cookies. The session's is valid
// for AuthenticateBrowser only, and until BrowserTTL has passed. Errors: as Login.
func (s *Service) LoginBrowser(ctx context.Context, c Credentials, from Client) (BrowserTokens, User, error) {
	row, err := s.verify(ctx, c, from)
	if err != nil {
		return BrowserTokens{}, User{}, err
	}
	sessionID := uuid.Must(uuid.NewV7())
	token, hash := s.browser.issue(sessionID)
	if err := s.openSession(ctx, &row, &newSession{id: sessionID, hash: hash, browser: true, confirmed: true}, from); err != nil {
		return BrowserTokens{}, User{}, err
	}
	return BrowserTokens{Session: token, Client: s.clientToken(&row, from.Tokens)}, userOf(&row), nil
}

// BrowserAccess returns an access token of a browser's session, with which a script of its pages calls the API, and
// how long it is valid. It ends with the session, and has no refresh token: the cookie of the session gives another
// one.
func (s *Service) BrowserAccess(by caller.Caller) (token string, valid time.Duration, err error) {
	token, err = s.access.issue(&User{ID: by.UserID, Role: by.Role}, by.SessionID)
	return token, s.options.AccessTTL, err
}

// verify finds the user that the credentials belong to. Whether the name is unknown, the password wrong or the user
// inactive, it takes one query and one comparison and the error is the same.
func (s *Service) verify(ctx context.Context, c Credentials, from Client) (_ models.User, err error) {
	if c.Code != "" { // which is compared in microseconds, while a count of a wrong one is written for users only
		started := clock.System{}.Now()
		defer func() {
			if err != nil {
				s.onStep(ctx, started)
			}
		}()
	}
	if (c.Password == "") == (c.Code == "") {
		return models.User{}, ErrPasswordRequired
	}
	name, err := c.name()
	if err != nil {
		return models.User{}, err
	}
	row, err := s.findByName(ctx, name)
	if err != nil {
		return models.User{}, err
	}
	tally := s.throttle.begin()
	o := s.origin(ctx, tally, &row, name, from)
	reported, silent := s.throttle.logins(&o)
	admitted, err := tally.admitSilently(ctx, reported, silent)
	if err != nil {
		return models.User{}, err
	}
	if !admitted { // the same work and answer as for an unknown name; nothing of the user is compared
		row = models.User{}
	}
	if err := s.prove(ctx, &row, c, o.known); err != nil {
		return models.User{}, err
	}
	tally.succeeded(ctx, reported...)
	tally.succeeded(ctx, silent...)
	tally.remember(ctx, &o)
	return row, nil
}

// origin returns what an attempt at a user's account comes from; the row is zero where there is no such user.
func (s *Service) origin(ctx context.Context, tally *tally, row *models.User, name loginName, from Client) origin {
	client := ""
	if token := s.knownClient(row, from.Tokens); token != "" && row.ID != uuid.Nil {
		client = hashToken(token)
	}
	return tally.origin(ctx, row.ID, name.given, client, from.Address)
}

// prove checks the password, or the code that was sent in its place, and the authenticator program's code. The sent
// code is used up last: it serves again when the program's code is missing or wrong.
func (s *Service) prove(ctx context.Context, row *models.User, c Credentials, known bool) error {
	message, matches, err := s.proveFirst(ctx, row, c, known)
	switch {
	case err != nil:
		return err
	case !matches || row.Status != models.StatusActive:
		return ErrInvalidCredentials
	case row.TOTPEnabledAt != nil && c.TOTP == "":
		return ErrTOTPRequired
	case row.TOTPEnabledAt != nil:
		if right, err := s.useTOTP(ctx, row, c.TOTP); err != nil || !right {
			return cmp.Or(err, error(ErrInvalidCredentials))
		}
	}
	if message == uuid.Nil {
		return nil
	}
	if voided, err := s.voidCode(ctx, message); err != nil || !voided {
		return cmp.Or(err, error(ErrInvalidCredentials))
	}
	return nil
}

// proveFirst checks the password or the sent code, whose message it returns.
func (s *Service) proveFirst(
	ctx context.Context, row *models.User, c Credentials, known bool,
) (message uuid.UUID, matches bool, err error) {
	if c.Code != "" {
		message, err = s.matchCode(ctx, row.ID, c.Code, known)
		return message, message != uuid.Nil, err
	}
	matches, err = s.passwords.match(ctx, row.PasswordHash, c.Password, known)
	return uuid.Nil, matches, err
}

func (s *Service) tokens(user *User, sessionID uuid.UUID, refresh string) (Tokens, error) {
	access, err := s.access.issue(user, sessionID)
	return Tokens{Access: access, Refresh: refresh, ExpiresIn: s.options.AccessTTL}, err
}

// loginName is a name as the columns of users hold it; nil means that the column is not meant. given is the form that
// attempts are counted by. It depends on the text alone, not on its field, and is the same for all spellings of a
// name or phone number.
type loginName struct {
	email, phone, identifier *string
	given                    string
}

// name returns the stored form of the given name. A name without one matches no user.
func (c *Credentials) name() (loginName, error) {
	given, name := 0, loginName{}
	for _, text := range []string{c.Email, c.Phone, c.Identifier} {
		if text != "" {
			given++
		}
		if len(text) > maxLoginName || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return name, ErrInvalidCredentials
		}
	}
	if given != 1 {
		return name, ErrLoginName
	}
	text := c.Email + c.Phone + c.Identifier
	name.given = givenName(text)
	if number, err := phone.Normalise(text); err == nil && c.Email == "" {
		name.phone = &number
	}
	if c.Phone == "" {
		email := fold(c.Email + c.Identifier)
		name.email = &email
	}
	if c.Identifier != "" {
		name.identifier = name.email
	}
	return name, nil
}

// givenName returns the form of loginName.given.
func givenName(text string) string {
	folded := fold(text)
	if number, err := phone.Normalise(folded); err == nil {
		return number
	}
	return folded
}

// fold brings emails and identifiers into the form they are stored in.
func fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// info is the session's device_info.
func (c Client) info() []byte {
	short := func(text string) string { return models.Clip(text, maxClientText) }
	raw, err := json.Marshal(Client{Address: short(c.Address), UserAgent: short(c.UserAgent), Location: short(c.Location), Fingerprint: short(c.Fingerprint)})
	if err != nil {
		return []byte("{}") // cannot be: strings
	}
	return raw
}
