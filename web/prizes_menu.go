package web

import "banca/internal/auth"

// prizesMenu are the links to what follows the sale.
func (w *Web) prizesMenu(p *auth.Principal) []menuLink {
	var links []menuLink
	if w.deps.Prizes != nil && p.May(auth.PrizesRead) {
		links = append(links, menuLink{Title: "prizes.title", Path: prizesPath}, menuLink{Title: "differences.title", Path: differencesPath})
	}
	if w.deps.Exposure != nil && p.May(auth.RiskRead) {
		links = append(links, menuLink{Title: "exposure.title", Path: exposurePath})
	}
	return links
}
