package weekly

// Share exports share.
var Share = share //nolint:gochecknoglobals // for tests
