package tasks

// ReceiptRender draws a ticket's receipt, uploads it and asks for its message.
//
// Trigger: the outbox rows of the sale and of its cancellation, which replaces the picture and sends nothing.
// Repeating it, also in another order, is safe because the picture's key is the ticket's id, a run draws again
// what was cancelled meanwhile, image_url is set once, and a ticket has one receipt message. Queue receipts, 30
// seconds; the retries outlast three hours of an object store that is away. When every one fails, the buyer
// gets no message and the ticket stays without a picture, or with the one from before its cancellation; the
// api draws the present one on demand.
type ReceiptRender struct {
	TicketID string `json:"ticket_id"`
}

// Kind names the task.
func (ReceiptRender) Kind() string { return "receipt.render" }
