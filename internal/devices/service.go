package devices

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/storage"
)

// Bounds of a device's description, and of the number of devices of an entity.
const (
	maxName           = 100
	minFingerprint    = 8
	maxFingerprint    = 512
	maxInfo           = 4 << 10
	maxDevices        = 100 // of an entity, in any status
	mismatchesPerHour = 60  // recorded of one device; the others are refused all the same
	eventsShown       = 100
	minSecret         = 32
	keyRandom         = 32
)

// How long a session counts as online after it was validated, and after its connection was last seen.
const (
	onlineAfterValidate = 2 * time.Minute
	onlineAfterTouch    = 90 * time.Second
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG     *storage.Postgres
	Clock  clock.Clock
	Log    *slog.Logger
	Events realtime.Publisher // published after each commit
	Secret []byte             // of fingerprints, at least 32 bytes; the same in every process
}

// Service registers devices and keeps their sessions.
type Service struct {
	db      *gorm.DB
	pool    *pgxpool.Pool
	clock   clock.Clock
	log     *slog.Logger
	events  realtime.Publisher
	hashKey []byte
}

// New returns the service.
func New(d Deps) (*Service, error) {
	if len(d.Secret) < minSecret {
		return nil, errors.New("devices: the secret is too short")
	}
	if d.Events == nil {
		d.Events = realtime.Discard{}
	}
	return &Service{db: d.PG.Gorm, pool: d.PG.Pool, clock: d.Clock, log: d.Log, events: d.Events, hashKey: sum(d.Secret, "device fingerprints")}, nil
}

// now is as exact as it can be stored.
func (s *Service) now() time.Time { return s.clock.Now().Truncate(time.Microsecond) }

// fingerprint returns the stored form of a fingerprint, an HMAC, because the parts of a fingerprint can be guessed.
func (s *Service) fingerprint(text string) []byte { return sum(s.hashKey, text) }

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// newKey returns a device key "<device id>.<random>" and the hash that is stored.
func newKey(device uuid.UUID) (key string, hash []byte) {
	secret := make([]byte, keyRandom)
	_, _ = rand.Read(secret) // never fails, see its documentation
	key = device.String() + "." + base64.RawURLEncoding.EncodeToString(secret)
	return key, hashKey(key)
}

func hashKey(key string) []byte {
	digest := sha256.Sum256([]byte(key))
	return digest[:]
}

// deviceOfKey returns the device that a key names.
func deviceOfKey(key string) (uuid.UUID, bool) {
	id, secret, _ := strings.Cut(key, ".")
	if len(id) != len(uuid.Nil.String()) || len(secret) != base64.RawURLEncoding.EncodedLen(keyRandom) {
		return uuid.Nil, false
	}
	device, err := uuid.Parse(id)
	return device, err == nil
}
