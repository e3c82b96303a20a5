// Package bankfield declares the fields of the bank's two calls: their names, as the bank writes them, in which call
// they are, and their forms. The parser, the document of the API, the simulator, the file of events and a test of
// docs/bank.md follow the declaration. A field that internal/bank parses by no rule of its own is stored as text.
package bankfield

// Names of the fields that internal/bank reads.
const (
	Client        = "IdCliente"
	Amount        = "Monto"
	MerchantPhone = "TelefonoComercio"
	SenderPhone   = "TelefonoEmisor"
	Concept       = "Concepto"
	Bank          = "BancoEmisor"
	Instant       = "FechaHora"
	Reference     = "Referencia"
	NetworkCode   = "CodigoRed"
)

// Use is the presence of a field in a call.
type Use int

// The uses.
const (
	Absent   Use = iota
	Optional     // an invalid value counts as missing
	Required
)

// Kind is the type of a field's JSON values.
type Kind int

// The kinds.
const (
	Text   Kind = iota // a string
	Digits             // a string, or an integer as it is written
	Number             // a string, or a number as it is written
)

// Field is a field of the bank's calls.
type Field struct {
	Name                string
	Query, Notification Use // in phase A, in phase B
	Kind                Kind
	Description         string
	Pattern             string // of a required string; "" if it has no short one
	Example             string
}

// All returns the fields in the order in which the bank sends them.
func All() []Field {
	return []Field{
		{
			Name: Client, Query: Required, Kind: Digits,
			Description: "Identity document of the client, with or without its letter and separators.",
			Pattern:     `^[VEJGPvejgp]?[-. 0-9]{5,20}$`, Example: "V12345678",
		},
		{
			Name: "IdComercio", Notification: Optional, Kind: Number,
			Description: "Our identity document.", Example: "J401234567",
		},
		{
			Name: MerchantPhone, Query: Required, Notification: Optional, Kind: Digits,
			Description: "Our telephone.", Example: "04141112233",
		},
		{
			Name: SenderPhone, Notification: Optional, Kind: Digits,
			Description: "Telephone of the payer.", Example: "04145556677",
		},
		{Name: Concept, Notification: Optional, Description: "Free text.", Example: "pago"},
		{
			Name: Bank, Notification: Required, Kind: Digits,
			Description: "Code of the issuing bank.", Pattern: `^\d{3,4}$`, Example: "0134",
		},
		{
			Name: Amount, Query: Required, Notification: Required, Kind: Number,
			Description: "A string or a number, above zero.", Pattern: `^\d{1,12}(\.\d{1,2})?$`, Example: "150.00",
		},
		{
			Name: Instant, Notification: Optional, Kind: Digits,
			Description: "When it was paid.", Example: "2026-11-20T14:05:09",
		},
		{
			Name: Reference, Notification: Required, Kind: Digits,
			Description: "1 to 36 digits; leading zeros of a string count.", Pattern: `^\d{1,36}$`, Example: "012345678901",
		},
		{
			Name: NetworkCode, Notification: Required,
			Description: "00 means approved.", Pattern: `^[0-9A-Za-z]{1,8}$`, Example: "00",
		},
	}
}
