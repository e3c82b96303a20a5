package tasks

// ReceiptRender draws a ticket's receipt, uploads it and asks for its message.
//
// Trigger: the outbox row of the sale. Repeating it is safe because the picture's key is the ticket's id,
// image_url is set once, and a ticket has one receipt message. Queue receipts, 30 seconds; the retries outlast
// three hours of an object store that is away. When every one fails, the buyer gets no message and the ticket
// stays without a picture, which the api draws on demand.
type ReceiptRender struct {
	TicketID string `json:"ticket_id"`
}

// Kind names the task.
func (ReceiptRender) Kind() string { return "receipt.render" }
