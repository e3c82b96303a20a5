package catalog

// Uploads are the routes that take a file, with the bytes of a body that are read.
func Uploads() map[string]int64 {
	routes := map[string]int64{}
	for _, route := range []string{"/games", "/games/:id", "/games/:id/elements", "/games/:id/elements/:code", "/games/:id/bulk-data"} {
		routes[route] = maxCatalogForm + 1
	}
	return routes
}
