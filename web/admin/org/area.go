// Package org has the pages of the organisation: its tree, its entities and their settings, rates and documents.
package org

import (
	"embed"
	"slices"

	"banca/internal/auth"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const path = links.Organisation

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	counterURL string // of the point of sale

	found   kit.List[foundEntity, treePage]
	tree    kit.Page[treePage]
	new     kit.Page[newPage]
	entity  kit.Page[entityPage]
	move    kit.Page[movePage]
	agency  kit.Page[agencyPage]
	bulk    kit.Page[bulkPage]
	rates   kit.Page[ratesPage]
	imports kit.Page[importPage]
}

// Area returns the pages of the organisation.
func Area(s *services.Services, counterURL string) kit.Area {
	p := &pages{Services: s, counterURL: counterURL}
	p.found = kit.List[foundEntity, treePage]{
		Order:    "code",
		Template: "tree", File: "entities", Columns: foundColumns(), Link: entityAddress, Empty: "org.tree.nothing", Rows: p.find, Filter: p.filter, Page: p.foundPage,
	}
	p.found.ColumnsOf = func(rows []foundEntity) []kit.Column[foundEntity] {
		return slices.Concat(foundColumns(), figureColumns(rows))
	}
	p.tree = kit.Page[treePage]{Template: "tree", Load: p.loadTree}
	p.new = kit.Page[newPage]{Template: "new", Load: p.loadNew}
	p.entity = kit.Page[entityPage]{Template: "entity", Load: p.loadEntity}
	p.agency = kit.Page[agencyPage]{Template: "agency", Load: p.loadAgency}
	p.bulk = kit.Page[bulkPage]{Template: "bulk", Load: p.loadBulk}
	p.rates = kit.Page[ratesPage]{Template: "bulk", Load: p.loadRates}
	p.imports = kit.Page[importPage]{Template: "import", Load: p.loadImport}
	p.move = kit.Page[movePage]{Template: "move", Load: p.loadMove}
	return kit.Area{Templates: templates, Guide: "panel#red", Funcs: functions(), Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	const entity = path + "/:id"
	read, write := kit.Can(auth.EntitiesRead), kit.Can(auth.EntitiesWrite)
	papers, attach := kit.Can(auth.DocumentsRead), kit.Can(auth.DocumentsWrite)
	doing := write.SensitiveIf(kit.IsDone)
	return []kit.Route{
		kit.Get(path, read, p.showTree).Menu("nav.organisation", "org.tree.title"),
		kit.Get(kit.EntitySuggestions, read, kit.Suggestions(p.suggest)),
		kit.Get(path+"/new", write, p.new.Show),
		kit.Post(path+"/new", write, p.create),
		kit.Get(agencyPath, write, p.agency.Show),
		kit.Post(agencyPath, write.Sensitive(), p.makeAgency),
		kit.Get(bulkPath, write, p.bulk.Show),
		kit.Post(bulkPath, doing, p.submitBulk),
		kit.Get(ratesPath, write, p.rates.Show),
		kit.Post(ratesPath, doing, p.submitRates),
		kit.Get(importPath, write, p.imports.Show).ExplainedIn("panel#importing-ticket-points"),
		kit.Post(importPath, doing, p.submitImport).Upload(),
		kit.Get(importPath+"/template", write, p.importTemplate),
		kit.Get(entity, read, p.entity.Show),
		kit.Action(entity, "/settings/:group", write, p.saveSettings),
		kit.Action(entity, "/facts", write, p.saveFacts),
		kit.Action(entity, "/finance", write.SensitiveIf(savesRates), p.saveFinance),
		kit.Action(entity, "/status", write.Sensitive(), p.setStatus),
		kit.Get(entity+"/move", write, p.showMove),
		kit.Post(entity+"/move", write.Sensitive(), p.moveNow),
		kit.Action(entity, "/delete", kit.Can(auth.EntitiesDelete).Sensitive(), p.delete),
		kit.Action(entity, "/documents", attach, p.attach).Upload(),
		kit.Get(entity+"/documents/:document", papers, p.openDocument),
		kit.Action(entity, "/documents/:document/remove", attach.Sensitive(), p.removeDocument),
	}
}
