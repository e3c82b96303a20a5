package imports

// Decimal is decimal for tests.
func Decimal(text string) string { return decimal(text) }
