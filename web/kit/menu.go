package kit

import (
	"slices"
	"strings"
)

// MenuArea is a group of links in the menu.
type MenuArea struct {
	Title   string // key
	Icon    string // its name: the title of an area
	Links   []MenuLink
	Current bool // has the current page
}

// Count returns the sum of the counts of its links.
func (a *MenuArea) Count() int64 {
	var sum int64
	for i := range a.Links {
		sum += a.Links[i].Count
	}
	return sum
}

// Alone reports whether the area is one page.
func (a *MenuArea) Alone() bool { return len(a.Links) == 1 }

// MenuLink is a link to a page.
type MenuLink struct {
	Title   string // key
	Path    string
	Current bool
	Count   int64 // of what waits for somebody on the page

	tabs *Tabs // the page is the first of them; nil for a page without tabs
}

// Menu returns the menu of the caller of a request: the one of the role in Options.RoleMenus, or else all pages in the order of Options.MenuAreas. The current page, or the nearest page
// above it, is marked. counts has the counts of pages by their path.
func Menu(r *Request, counts map[string]int64) []MenuArea {
	if own := r.site.RoleMenus[r.Caller.Role]; own != nil {
		return menuOf(r, own, counts)
	}
	return Pages(r, counts)
}

// menuOf returns a menu of single pages, each as an area.
func menuOf(r *Request, entries []MenuEntry, counts map[string]int64) []MenuArea {
	var areas []MenuArea
	for _, entry := range entries {
		if r.MayOpen(entry.Path) {
			link := MenuLink{Title: entry.Title, Path: entry.Path, Count: counts[entry.Path]}
			areas = append(areas, MenuArea{Title: entry.Title, Icon: entry.Icon, Links: []MenuLink{link}})
		}
	}
	markCurrent(areas, r.site.Home, r.URL().Path)
	return areas
}

// MenuEntry is a page of the menu of a role.
type MenuEntry struct{ Title, Path, Icon string }

// Pages returns all pages of the menu that the caller of a request may open, by area.
func Pages(r *Request, counts map[string]int64) []MenuArea {
	areas := make([]MenuArea, 0, len(r.site.MenuAreas))
	at, listed := map[string]int{}, map[string]bool{}
	for i, title := range r.site.MenuAreas {
		areas, at[title] = append(areas, MenuArea{Title: title, Icon: title}), i
	}
	for _, route := range r.site.routes {
		if route.MenuArea == "" || route.check(r) != nil || route.menuIf != nil && !route.menuIf(r) {
			continue
		}
		title, path := route.MenuTitle, route.Path
		if route.tabs != nil {
			if listed[route.tabs.Title] {
				continue
			}
			title, path = route.tabs.Title, r.Links(route.tabs.Pages...)[0].Path
			listed[title] = true
		}
		i, known := at[route.MenuArea]
		if !known {
			i = len(areas)
			at[route.MenuArea] = i
			areas = append(areas, MenuArea{Title: route.MenuArea, Icon: route.MenuArea})
		}
		areas[i].Links = append(areas[i].Links, MenuLink{Title: title, Path: path, Count: counts[path], tabs: route.tabs})
	}
	areas = slices.DeleteFunc(areas, func(a MenuArea) bool { return len(a.Links) == 0 })
	markCurrent(areas, r.site.Home, r.URL().Path)
	return areas
}

// MayOpen reports whether the caller may open the page at a path, or send a form to it.
func (r *Request) MayOpen(path string) bool {
	for _, route := range r.site.routes {
		if matchesPath(route.Path, path) {
			return route.check(r) == nil
		}
	}
	return false
}

// Links returns the links to pages that the caller may open.
func (r *Request) Links(links ...MenuLink) []MenuLink {
	var open []MenuLink
	for _, link := range links {
		path, _, _ := strings.Cut(link.Path, "?")
		if r.MayOpen(path) {
			open = append(open, link)
		}
	}
	return open
}

// matchesPath reports whether a path matches the path of a route, which may have parameters.
func matchesPath(route, path string) bool {
	want, have := strings.Split(route, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && !strings.HasPrefix(want[i], ":") {
			return false
		}
	}
	return true
}

// markCurrent marks the link with the longest path that is the page's path or a prefix of it. A link to tabs has the paths of all of them.
func markCurrent(areas []MenuArea, home, page string) {
	var best *MenuLink
	var area *MenuArea
	longest := 0
	for a := range areas {
		for l := range areas[a].Links {
			link := &areas[a].Links[l]
			for _, path := range link.paths() {
				under := page == path || path != home && strings.HasPrefix(page, path+"/")
				if under && len(path) > longest {
					best, area, longest = link, &areas[a], len(path)
				}
			}
		}
	}
	if best != nil {
		best.Current, area.Current = true, true
	}
}

// paths are the paths of the pages that the link leads to.
func (l *MenuLink) paths() []string {
	if l.tabs == nil {
		return []string{l.Path}
	}
	return Map(l.tabs.Pages, func(page *MenuLink) string { return page.Path })
}
