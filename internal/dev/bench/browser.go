package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"banca/internal/dev/testbed"
	"banca/internal/platform/businessday"
	"banca/models"
)

// pageBrowser opens pages of the panel with the cookies of a session.
type pageBrowser struct {
	base   string
	client *http.Client
	token  string         // of calls of the API, as the script of the counter has it
	files  map[string]int // bytes of files by address
}

// pageAnswer is a page as it was sent.
type pageAnswer struct {
	text string
	size int // bytes that were transferred
	took time.Duration
}

// Patterns of what a page contains.
var (
	formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)
	menuPart  = regexp.MustCompile(`(?s)<nav class="side".*?</nav>`)
	links     = regexp.MustCompile(`href="(/[^"#]*)"`)
	fileLinks = regexp.MustCompile(`(?:href|src)="(/[^"]+\.(?:css|js|svg|png|woff2))"`)
	orderLink = regexp.MustCompile(`<th[^>]*><a href="([^"]+)"`)
)

// openBrowser logs a user in through the form of the panel.
func (c *child) openBrowser(ctx context.Context, login string) (*pageBrowser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	b := &pageBrowser{base: "http://" + c.addr, client: &http.Client{Jar: jar, Timeout: callTimeout}, files: map[string]int{}}
	form, err := b.get(ctx, "/admin/login")
	if err != nil {
		return nil, err
	}
	token := formToken.FindStringSubmatch(form.text)
	if token == nil {
		return nil, errors.New("the login has no form token")
	}
	body := url.Values{"form_token": {token[1]}, "identifier": {login}, "password": {testbed.Password}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+"/admin/login", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", b.base)
	res, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK || strings.HasSuffix(res.Request.URL.Path, "/login") {
		err = fmt.Errorf("login of %s: status %d", login, res.StatusCode)
	}
	return b, errors.Join(err, res.Body.Close())
}

// get opens an address. Errors: any status but 200.
func (b *pageBrowser) get(ctx context.Context, path string) (*pageAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if b.token != "" && !strings.HasPrefix(path, "/admin") {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	req.Header.Set("Accept-Encoding", "gzip") // set by hand, so that the size is that of the transfer
	var raw []byte
	var header http.Header
	duration, err := took(func() error {
		res, err := b.client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if header = res.Header; res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", res.StatusCode)
		}
		raw, err = io.ReadAll(res.Body)
		return err
	})
	if err != nil {
		return nil, err
	}
	a := &pageAnswer{text: string(raw), size: len(raw), took: duration}
	if header.Get("Content-Encoding") == "gzip" {
		r, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		plain, err := io.ReadAll(r)
		a.text = string(plain)
		return a, err
	}
	return a, nil
}

// filesOf returns the bytes of the files that a page loads, as a browser that has none of them.
func (b *pageBrowser) filesOf(ctx context.Context, page string) (sum int, err error) {
	seen := map[string]bool{}
	for _, found := range fileLinks.FindAllStringSubmatch(page, -1) {
		address := found[1]
		if seen[address] {
			continue
		}
		seen[address] = true
		if _, known := b.files[address]; !known {
			a, err := b.get(ctx, address)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", address, err)
			}
			b.files[address] = a.size
		}
		sum += b.files[address]
	}
	return sum, nil
}

// pagesOf lists the pages of the user's menu, each order of their lists, and pages of one object and of a day.
func (b *pageBrowser) pagesOf(ctx context.Context, today businessday.Day) ([]string, error) {
	const home = "/admin"
	start, err := b.get(ctx, home)
	if err != nil {
		return nil, err
	}
	list := []string{home}
	add := func(path string) {
		if path = strings.ReplaceAll(path, "&amp;", "&"); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	menu := links.FindAllStringSubmatch(menuPart.FindString(start.text), -1)
	if len(menu) == 0 {
		return nil, errors.New("the start page has no menu")
	}
	for _, link := range menu {
		path := link[1]
		add(path)
		page, err := b.get(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, order := range orderLink.FindAllStringSubmatch(page.text, -1) {
			add(order[1])
		}
		for _, more := range variants(path, today) {
			add(more)
		}
		if one := firstOf(page.text, path); one != "" {
			add(one)
		}
	}
	if b.token != "" {
		add("/sales/catalogue")
	}
	return list, nil
}

// variants are the questions of a page that select rows of a day or of a state.
func variants(path string, today businessday.Day) []string {
	day, yesterday := "?date="+today.String(), "?date="+today.AddDays(-1).String()
	month := "?from=" + today.AddDays(-29).String() + "&to=" + today.String()
	switch path {
	case "/admin/tickets":
		list := []string{path + day, path + yesterday, path + "?entity=VOL-A-1", path + "?page=100"}
		for _, status := range []string{models.TicketPending, models.TicketWon, models.TicketPaid, models.TicketLost, models.TicketCancelled} {
			list = append(list, path+"?status="+status, path+yesterday+"&status="+status)
		}
		return list
	case "/admin/prizes":
		return []string{path + "?status=won", path + "?status=paid", path + yesterday}
	case "/admin/draws", "/admin/draws/board", "/admin/draws/results":
		return []string{path + yesterday}
	case "/admin/reports/sales":
		return []string{path + month, path + month + "&by=entity", path + month + "&by=game", path + month + "&by=day"}
	case "/admin/reports/levels", "/admin/reports/waterfall", "/admin/reports/balances":
		return []string{path + month}
	default:
		return nil
	}
}

// firstOf returns the first link of a list to one of its objects.
func firstOf(page, path string) string {
	one := regexp.MustCompile(`href="(` + regexp.QuoteMeta(path) + `/[0-9a-f]{8}-[0-9a-f-]{27})["?]`).FindStringSubmatch(page)
	if one == nil {
		return ""
	}
	return one[1]
}
