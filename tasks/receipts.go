package tasks

// ReceiptRender draws a ticket's receipt, uploads it and asks for its message.
//
// Trigger: the outbox rows of the sale and of its cancellation, which replaces the picture and sends no message.
// Repeating it, also in another order, is safe because the picture's key is the ticket's id, a run that finds its
// ticket changed draws again, image_url is set once, and a ticket has one receipt message. Queue receipts, 30
// seconds; the retries outlast an outage of the object store of three hours. When every retry fails, the buyer gets
// no message and the ticket keeps no picture, or the one from before its cancellation; the api draws the current one
// on demand.
type ReceiptRender struct {
	TicketID string `json:"ticket_id"`
}

// Kind names the task.
func (ReceiptRender) Kind() string { return "receipt.render" }
