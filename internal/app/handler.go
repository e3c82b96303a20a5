package app

import (
	"net/http"

	"banca/api"
)

// handler assembles everything that answers HTTP: the API and the pages of the administration.
func (a *App) handler() (http.Handler, error) {
	server, err := a.newAPI()
	if err != nil {
		return nil, err
	}
	return server.Engine(), nil
}

func (a *App) newAPI() (*api.API, error) {
	return api.New(api.Deps{
		Log: a.log, Clock: a.clock, Auth: a.services.auth, Catalog: a.services.catalog, Ledger: a.services.ledger, Sales: a.services.sales,
		Checks: []api.Check{
			{Name: "postgres", Run: a.stores.pg.Ping},
			{Name: "redis", Run: a.pingRedis},
			{Name: "objects", Run: a.stores.objects.Ping},
		},
		PublicURL: a.cfg.HTTP.PublicURL, BasePath: a.cfg.HTTP.BasePath, TrustedProxies: a.cfg.HTTP.TrustedProxies,
	})
}

// OpenAPI returns the description of the API as YAML. It needs no stores: nothing is called.
func OpenAPI() ([]byte, error) {
	server, err := api.New(api.Deps{})
	if err != nil {
		return nil, err
	}
	_, yaml := server.OpenAPI()
	return yaml, nil
}
