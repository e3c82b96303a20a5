package models

// Statuses of a result.
const (
	ResultProposed   = "proposed"
	ResultVerified   = "verified"
	ResultSuperseded = "superseded"
	ResultRejected   = "rejected"
)

// Origins of a result.
const (
	ResultTyped   = "typed"
	ResultFetched = "fetched"
	ResultDerived = "derived"
)

// Kinds of draw alerts.
const (
	AlertNoResult      = "no_result"
	AlertContradiction = "contradiction" // sources disagree
	AlertDiffers       = "differs"       // a source differs from the verified result
	AlertMalformed     = "malformed"
	AlertCloseFailed   = "close_failed"
	AlertSealBroken    = "seal_broken"
)
