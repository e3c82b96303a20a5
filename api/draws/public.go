package draws

import (
	"context"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
)

// ResultsPath is the address of the public results; below it is the script that shows them on other sites.
const (
	ResultsPath = "/resultados"
	widgetPath  = ResultsPath + "/widget.js"
)

// What everybody may keep, in seconds, and how often the page of the current day asks again.
const (
	keptToday  = "20"
	keptDay    = "300"
	keptScript = "3600"
	refresh    = 60
)

//go:embed pages
var pages embed.FS

// public has the page and the script of the public results.
type public struct {
	page   *kit.PublicPage
	script []byte
}

func newPublic() (*public, error) {
	page, err := kit.NewPublicPage(pages, "pages", "results")
	if err != nil {
		return nil, err
	}
	script, err := pages.ReadFile("pages/widget.js")
	if err != nil {
		return nil, err
	}
	texts := map[string]map[string]string{}
	for _, language := range []string{problem.Spanish, problem.English} {
		texts[language] = map[string]string{}
		for _, key := range []string{"title", "none", "lost", "all"} {
			texts[language][key] = problem.Text(language, "page.results."+key, nil)
		}
	}
	written, err := json.Marshal(texts)
	return &public{page: page, script: []byte(strings.Replace(string(script), `"texts"`, string(written), 1))}, err
}

func (o *operations) registerPublic() {
	responses := kit.ContentResponses("The results", map[string]*huma.Schema{
		kit.JSONType: o.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[kit.Envelope[publicResults]](), true, ""), kit.HTMLType: {Type: huma.TypeString},
	})
	unchanged := &huma.Response{Description: "The answer that the client has is the current one"}
	responses["304"] = unchanged
	responses["429"] = &huma.Response{Content: map[string]*huma.MediaType{kit.HTMLType: {Schema: &huma.Schema{Type: huma.TypeString}}}}
	tags := []string{"Results"}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "public-results", Method: http.MethodGet, Path: ResultsPath, Tags: tags,
		Summary: "The verified results of a day, for everybody; for a browser a page",
		Description: "By game in the house's order, the latest first, without results that await verification. One of the last 31 business days; others have no results. " +
			"Scripts of every site may read it, without cookies. It may be some seconds old and be kept as `Cache-Control` says: send its `ETag` as `If-None-Match`.",
		Responses: responses,
	}, kit.Public(), o.publicResults)
	script := kit.ContentResponses("The script", map[string]*huma.Schema{"text/javascript": {Type: huma.TypeString}})
	script["304"] = unchanged
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "results-widget", Method: http.MethodGet, Path: widgetPath, Tags: tags,
		Summary: "A script that shows the public results of today on another site",
		Description: "A script element of a page with this address as its `src` shows them in its place and renews them every minute. " +
			"All attributes may be left out: `data-games` (names, separated by commas, such as `Lotto Activo`), `data-into` (a CSS selector of the place), `data-theme` (`light`, `dark`), `data-lang` (`es`, `en`).",
		Responses: script,
	}, kit.Public(), o.widget)
	if o.BasePath != "" { // which an address on paper leaves out
		for _, path := range []string{ResultsPath, widgetPath} {
			o.Engine.GET(path, func(c *gin.Context) {
				to := url.URL{Path: o.BasePath + path, RawQuery: c.Request.URL.RawQuery}
				c.Redirect(http.StatusFound, to.String())
			})
		}
	}
}

type publicInput struct {
	Date   string `query:"date" format:"date" doc:"a business day; the current one when left out" example:"2026-11-20"`
	Accept string `header:"Accept" hidden:"true"`
	Known  string `header:"If-None-Match" maxLength:"1000" doc:"the ETag of the answer that the client has"`
}

type publicResults struct {
	House string       `json:"house" doc:"the name above receipts"`
	Date  string       `json:"date" format:"date"`
	Games []publicGame `json:"games" nullable:"false"`
}

type publicGame struct {
	Name    string         `json:"name" example:"Lotto Activo"`
	Results []publicResult `json:"results" nullable:"false"`
}

type publicResult struct {
	DrawTime time.Time `json:"draw_time"`
	Time     string    `json:"time" doc:"of day, where the house is" example:"8:00 pm"`
	Result   string    `json:"result" doc:"with the name of its value" example:"05 León"`
}

func (o *operations) publicResults(ctx context.Context, in *publicInput) (*kit.Content, error) {
	day, err := o.draws.PublicResults(ctx, kit.Day(in.Date))
	if err != nil {
		return nil, err
	}
	kept := keptDay
	if day.Today {
		kept = keptToday
	}
	body := publicBody(day, o.Zone)
	if kit.WantsPage(in.Accept) {
		logo, err := o.logo(ctx)
		if err != nil {
			return nil, err
		}
		out, err := o.public.show(middleware.Language(ctx), day, &body, logo)
		return out.KeptFor(kept, in.Known), err
	}
	out := &kit.Content{Status: http.StatusOK, ContentType: kit.JSONType, Vary: "Accept, Accept-Language"}
	out.Body, err = json.Marshal(kit.Envelope[publicResults]{Data: body})
	return out.KeptFor(kept, in.Known).Shared(), err
}

func publicBody(day *draws.PublicDay, zone *time.Location) publicResults {
	body := publicResults{House: day.House, Date: day.Date.String(), Games: []publicGame{}}
	for _, game := range day.Games {
		results := kit.Map(game.Results, func(r draws.PublicResult) publicResult {
			return publicResult{DrawTime: r.Time, Time: r.Time.In(zone).Format("3:04 pm"), Result: r.Result}
		})
		body.Games = append(body.Games, publicGame{Name: game.Name, Results: results})
	}
	return body
}

// show renders the page with links to the days beside.
func (p *public) show(language string, day *draws.PublicDay, body *publicResults, logo []byte) (*kit.Content, error) {
	text := func(key string) string { return problem.Text(language, "page.results."+key, nil) }
	link := func(day businessday.Day) string { return "?date=" + day.String() }
	data := struct {
		*publicResults

		Language, Title, Day, None, Before, After, Earlier, Later string
		Refresh                                                   int
		Logo                                                      template.URL
	}{
		publicResults: body, Language: language, Title: text("title"), Day: day.Date.Format("02/01/2006"), None: text("none"),
		Earlier: text("earlier"), Later: text("later"), Logo: kit.PictureURL(logo),
	}
	if day.Older {
		data.Before = link(day.Date.AddDays(-1))
	}
	if day.Today {
		data.Refresh = refresh
	} else {
		data.After = link(day.Date.AddDays(1))
	}
	return p.page.Render(language, data)
}

type widgetInput struct {
	Known string `header:"If-None-Match" maxLength:"1000" doc:"the ETag of the script that the client has"`
}

func (o *operations) widget(_ context.Context, in *widgetInput) (*kit.Content, error) {
	out := &kit.Content{Status: http.StatusOK, ContentType: "text/javascript; charset=utf-8", Body: o.public.script}
	return out.KeptFor(keptScript, in.Known).Shared(), nil
}
