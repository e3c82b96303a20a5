package channel

// Reasons of the platform itself in the text of an error or of a state, whose parts are separated by ": ". Any other part
// is the provider's and is shown as it came.
const (
	NotSent         Reason = "not sent"
	NoAnswer        Reason = "no answer"
	HalfAnswer      Reason = "half an answer"
	BadCertificate  Reason = "the certificate of the server is not valid"
	NoTLS           Reason = "the server does not speak TLS"
	Unreachable     Reason = "the server cannot be reached, or ended the connection"
	BadRequest      Reason = "the request cannot be made"
	PlainHTTP       Reason = "plain http is for the hosts of MESSAGING_PRIVATE_HOSTS"
	PrivateNetwork  Reason = "the address is in a private network and not of MESSAGING_PRIVATE_HOSTS"
	NoID            Reason = "accepted without a usable id"
	NoReason        Reason = "failed without a reason"
	NoWhatsApp      Reason = "the number has no WhatsApp"
	RefusedSilently Reason = "WhatsApp refused the message and gave no reason"
	NoDriver        Reason = "no such driver"
	NotScanned      Reason = "no QR code was scanned in time"
	Closed          Reason = "closed"
	Deleted         Reason = "it was deleted"
	CustomerDeleted Reason = "the customer was deleted"
	CodeExpired     Reason = "the code has expired"
	CodeUnread      Reason = "the code could not be read"
	NoCodes         Reason = "no source of codes"
)

// SessionIs and QualityIs come with the provider's word.
const (
	SessionIs Reason = "the session is %s"
	QualityIs Reason = "quality %s"
)

// AccountIs comes before a state of an account.
const AccountIs = "the account is "
