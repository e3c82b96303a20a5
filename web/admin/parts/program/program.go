// Package program names the programs of clients by their User-Agent, such as "Chrome · Linux".
package program

import (
	"strings"

	"banca/web/kit"
)

// Client is a program and the system it runs on.
type Client struct {
	Program string // proper name; "" for a program without a name of its own
	System  string // proper name; "" if it is not known
	Kind    string // of a program without a name: app or unknown; "" for a named one
}

// mark maps a part of a User-Agent to a name.
type mark struct{ part, name string }

// browsers returns the marks of browsers. A browser names those it is compatible with too, so the first match counts.
func browsers() []mark {
	return []mark{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Opera", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"YaBrowser/", "Yandex"}, {"Vivaldi/", "Vivaldi"},
		{"DuckDuckGo/", "DuckDuckGo"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Firefox/", "Firefox"}, {"HeadlessChrome/", "Chrome"}, {"Chromium/", "Chromium"},
		{"Chrome/", "Chrome"}, {"Version/", "Safari"}, {"Trident/", "Internet Explorer"}, {"MSIE ", "Internet Explorer"},
	}
}

// systems returns the marks of systems. An Android names Linux and an iPhone names Mac OS X, so the first match counts.
func systems() []mark {
	return []mark{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"}, {"Macintosh", "Mac"}, {"Mac OS X", "Mac"},
		{"Darwin", "iOS"}, {"Linux", "Linux"}, {"X11", "Linux"},
	}
}

// apps returns the marks of libraries by which an app or a program of others calls the API.
func apps() []string {
	return []string{"okhttp", "Dart", "CFNetwork", "Dalvik", "Expo", "axios", "node", "Go-http-client", "python", "curl", "PostmanRuntime", "Java", "banca"}
}

// Of returns the client with a User-Agent.
func Of(agent string) Client {
	client := Client{System: first(systems(), agent)}
	for _, app := range apps() {
		if strings.Contains(strings.ToLower(agent), strings.ToLower(app)) {
			client.Kind = "app"
			return client
		}
	}
	client.Program = first(browsers(), agent)
	if client.Program == "" {
		client.Kind = "unknown"
	}
	return client
}

func first(marks []mark, agent string) string {
	for _, m := range marks {
		if strings.Contains(agent, m.part) {
			return m.name
		}
	}
	return ""
}

// Text returns the name of the client in the language of the page.
func (c Client) Text(v *kit.View) string {
	name := c.Program
	if c.Kind != "" {
		name = v.T("program." + c.Kind)
	}
	if c.System != "" {
		name += " · " + c.System
	}
	return name
}
