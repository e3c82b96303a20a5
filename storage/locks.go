package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Lock is a kind of lock. A transaction takes locks in the order of the constants, and locks of one kind in the order of
// their keys, so that no two transactions can deadlock. Tests check it (internal/dev/testkit/lockorder).
type Lock uint8

// The kinds of lock, the first one taken first. [Locks] describes them. LockSettlements makes decisions about tickets
// serial: a ticket may have lines on many draws, and two settlements at once would each take the draw of the other for
// undecided, so that both would leave the ticket to the other.
const (
	LockTree Lock = iota
	LockUsers
	LockCatalogue
	LockGame
	LockDraw
	LockDrawRow
	LockSettlements
	LockBankClient
	LockBankPayment
	LockCustomers
	LockClose
	LockWeekly
	LockPaymentRequest
	LockWallet
	LockCustomer
	LockTicket
	LockEntity
	LockUser
	LockSession
	LockDevice
	LockDeviceSession
	LockLogEntry
	LockLogHead
	LockFeed
	lockKinds
)

// LockInfo describes a kind of lock. An advisory lock has a class, a row lock a table.
type LockInfo struct {
	Name    string
	Class   int32
	Table   string
	TakenBy string
	HeldFor string
}

// Locks returns all kinds of lock in the order in which they are taken. docs/architecture.md shows the same table.
func Locks() [lockKinds]LockInfo {
	return [...]LockInfo{
		LockTree:           {Name: "tree", Class: 0x6f7267, TakenBy: "every change of the organisation", HeldFor: "one transaction of milliseconds"},
		LockUsers:          {Name: "users", Class: 0x75736572, TakenBy: "every change of a user by another one", HeldFor: "milliseconds"},
		LockCatalogue:      {Name: "catalogue", Class: 0x63617461, TakenBy: "changes of which games there are", HeldFor: "milliseconds"},
		LockGame:           {Name: "game", Class: 0x67616d65, TakenBy: "changes of one game, its grid or its draws", HeldFor: "up to a second for a year of draws"},
		LockDraw:           {Name: "draw", TakenBy: "sales, cancellations, prize payments (shared); closing, settlement, verification, suspension, rebuild of counts, limits that name the draw (exclusive)", HeldFor: "milliseconds; a settlement or a verified correction of a large draw seconds"},
		LockDrawRow:        {Name: "draw row", Table: "draws", TakenBy: "changes of a draw and of its results", HeldFor: "as the draw"},
		LockSettlements:    {Name: "settlements", Class: 0x73657474, TakenBy: "settlements and verified corrections (exclusive); refunds (shared)", HeldFor: "seconds for a large draw; never by a preview"},
		LockBankClient:     {Name: "bank client", Class: 0x62636c69, TakenBy: "the bank's queries", HeldFor: "milliseconds"},
		LockBankPayment:    {Name: "bank payment", Class: 0x62706179, TakenBy: "the bank's notifications", HeldFor: "milliseconds"},
		LockCustomers:      {Name: "customers", Class: 0x63757374, TakenBy: "changes, merges and deletions of customers of one entity by a person", HeldFor: "milliseconds"},
		LockClose:          {Name: "daily close", Class: 0x636c6f73, TakenBy: "openings and closings of the days of one entity; no sale", HeldFor: "milliseconds; an entity with hundreds of ticket points up to a second"},
		LockWeekly:         {Name: "weekly settlement", Class: 0x7765656b, TakenBy: "drafts, confirmations and payments of the weekly settlements in one currency; no sale", HeldFor: "milliseconds; the draft of a week with thousands of entities seconds"},
		LockPaymentRequest: {Name: "payment request", Table: "payment_requests", TakenBy: "notifications, operators who assign a payment, expiry, deletion of a customer", HeldFor: "milliseconds"},
		LockWallet:         {Name: "wallet", Table: "wallets", TakenBy: "whatever debits a wallet; the fold", HeldFor: "milliseconds"},
		LockCustomer:       {Name: "customer", Table: "customers", TakenBy: "sales that name another identity document, merges, deletions", HeldFor: "milliseconds"},
		LockTicket:         {Name: "ticket", Table: "tickets", TakenBy: "cancellations, refunds, settlements, prize payments, expiry", HeldFor: "as the lock above it"},
		LockEntity:         {Name: "entity", Table: "entities", TakenBy: "the daily count of cancellations, registration of devices, changes of an entity", HeldFor: "milliseconds"},
		LockUser:           {Name: "user", Table: "users", TakenBy: "changes of a user, logins", HeldFor: "milliseconds"},
		LockSession:        {Name: "session", Table: "user_sessions", TakenBy: "logins, refreshes, ends of sessions", HeldFor: "milliseconds"},
		LockDevice:         {Name: "device", Table: "devices", TakenBy: "changes of a device", HeldFor: "milliseconds"},
		LockDeviceSession:  {Name: "device session", Table: "device_sessions", TakenBy: "validation of a device, ends of its sessions", HeldFor: "milliseconds"},
		LockLogEntry:       {Name: "log entry", Class: 0x6c6f6765, TakenBy: "corrections and removals of an entry of the activity log", HeldFor: "milliseconds"},
		LockLogHead:        {Name: "log head", Table: "activity_chain", TakenBy: "the task that links the activity log, one at a time; no writer of an entry", HeldFor: "milliseconds"},
		LockFeed:           {Name: "feed", Table: "feeds", TakenBy: "the reader of a feed, one at a time; no writer of a row", HeldFor: "milliseconds; a rebuild seconds"},
	}
}

// String returns the lock's name.
func (l Lock) String() string {
	if l >= lockKinds {
		return "lock " + strconv.Itoa(int(l))
	}
	return Locks()[l].Name
}

// SQL returns the statement that takes the whole of an advisory lock, until the transaction ends.
func (l Lock) SQL() string {
	return `SELECT pg_advisory_xact_lock(` + strconv.Itoa(int(Locks()[l].Class)) + `, 0)`
}

// KeysSQL returns the statement that takes an advisory lock of the keys $1, an integer[] in ascending order.
func (l Lock) KeysSQL() string {
	return `SELECT pg_advisory_xact_lock(` + strconv.Itoa(int(Locks()[l].Class)) + `, k) FROM unnest($1::integer[]) k`
}

// Take takes the whole of an advisory lock until the transaction ends.
func (l Lock) Take(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, l.SQL()); err != nil {
		return fmt.Errorf("lock %s: %w", l, err)
	}
	return nil
}

// TakeGorm is Take for a transaction of gorm.
func (l Lock) TakeGorm(tx *gorm.DB) error {
	if err := tx.Exec(l.SQL()).Error; err != nil {
		return fmt.Errorf("lock %s: %w", l, err)
	}
	return nil
}

// TakeKeys takes an advisory lock of keys until the transaction ends.
func (l Lock) TakeKeys(ctx context.Context, tx pgx.Tx, keys ...int32) error {
	slices.Sort(keys)
	if _, err := tx.Exec(ctx, l.KeysSQL(), Integers(slices.Compact(keys))); err != nil {
		return fmt.Errorf("lock %s: %w", l, err)
	}
	return nil
}

// Key returns the key of an id in an advisory lock with a class. Ids that share a key only wait for each other.
func Key(id uuid.UUID) int32 {
	whole := DrawLock(id)
	return int32(whole>>32) ^ int32(whole)
}

// DrawLock returns the key of a draw's advisory lock.
func DrawLock(draw uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(draw[:8]) ^ binary.BigEndian.Uint64(draw[8:]))
}

// DrawLocks returns the keys of draws in the order in which they are taken.
func DrawLocks(draws []uuid.UUID) []int64 {
	keys := make([]int64, len(draws))
	for i, d := range draws {
		keys[i] = DrawLock(d)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Statements that take the locks of draws, the parameter being DrawLocks.
const (
	LockDrawsSQL  = `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k`
	ShareDrawsSQL = `SELECT pg_advisory_xact_lock_shared(k) FROM unnest($1::bigint[]) k`
)

// LockDraws waits until no sale, cancellation or payment of the draws is committing, and keeps others from committing
// until the transaction ends.
func LockDraws(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) error {
	if _, err := tx.Exec(ctx, LockDrawsSQL, DrawLocks(draws)); err != nil {
		return fmt.Errorf("lock draws: %w", err)
	}
	return nil
}

// ShareDraws is LockDraws in shared mode, for transactions that may run concurrently.
func ShareDraws(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) error {
	if _, err := tx.Exec(ctx, ShareDrawsSQL, DrawLocks(draws)); err != nil {
		return fmt.Errorf("share draws: %w", err)
	}
	return nil
}

// AwaitSettlements takes LockSettlements in shared mode, for transactions that change tickets without deciding them
// and may run concurrently.
func AwaitSettlements(ctx context.Context, tx pgx.Tx) error {
	sql := `SELECT pg_advisory_xact_lock_shared(` + strconv.Itoa(int(Locks()[LockSettlements].Class)) + `, 0)`
	if _, err := tx.Exec(ctx, sql); err != nil {
		return fmt.Errorf("await settlements: %w", err)
	}
	return nil
}
