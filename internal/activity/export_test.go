package activity

// StoredDetails returns the details of an entry as they are stored.
func (e *Entry) StoredDetails() (string, error) { return e.details() }
