package cloud

import (
	"strings"

	"banca/internal/messaging/channel"
)

// The body of a message.
type (
	messageBody struct {
		Product   string        `json:"messaging_product"`
		Recipient string        `json:"recipient_type"`
		To        string        `json:"to"`
		Type      string        `json:"type"`
		Text      *textBody     `json:"text,omitempty"`
		Image     *imageBody    `json:"image,omitempty"`
		Template  *templateBody `json:"template,omitempty"`
		// CallbackData is Message.Key and comes back with every status, so that a message whose answer was lost is found again.
		CallbackData string `json:"biz_opaque_callback_data"`
	}
	textBody struct {
		Body       string `json:"body"`
		PreviewURL bool   `json:"preview_url"`
	}
	imageBody struct {
		Link    string `json:"link"` // Meta fetches it
		Caption string `json:"caption,omitempty"`
	}
	templateBody struct {
		Name       string      `json:"name"`
		Language   language    `json:"language"`
		Components []component `json:"components,omitempty"`
	}
	language struct {
		Code string `json:"code"`
	}
	component struct {
		Type       string      `json:"type"`
		SubType    string      `json:"sub_type,omitempty"`
		Index      string      `json:"index,omitempty"`
		Parameters []parameter `json:"parameters"`
	}
	parameter struct {
		Type  string     `json:"type"`
		Text  string     `json:"text,omitempty"`
		Image *imageBody `json:"image,omitempty"`
	}
)

func bodyOf(m channel.Message) messageBody {
	b := messageBody{
		Product: "whatsapp", Recipient: "individual", To: strings.TrimPrefix(m.Recipient, "+"), CallbackData: m.Key(),
	}
	switch {
	case m.Template != nil:
		b.Type, b.Template = "template", templateOf(m)
	case m.ImageURL != "":
		b.Type, b.Image = "image", &imageBody{Link: m.ImageURL, Caption: m.Body}
	default:
		b.Type, b.Text = "text", &textBody{Body: m.Body}
	}
	return b
}

// templateOf fills a template in. The picture becomes its header, unless the text says all.
func templateOf(m channel.Message) *templateBody {
	t := &templateBody{Name: m.Template.Name, Language: language{m.Template.Language}}
	if m.ImageURL != "" && !m.TextAlone {
		t.Components = append(t.Components, component{Type: "header", Parameters: []parameter{{Type: "image", Image: &imageBody{Link: m.ImageURL}}}})
	}
	if len(m.Template.Body) > 0 {
		body := component{Type: "body"}
		for _, value := range m.Template.Body {
			body.Parameters = append(body.Parameters, parameter{Type: "text", Text: value})
		}
		t.Components = append(t.Components, body)
	}
	if m.Template.Button != "" {
		t.Components = append(t.Components, component{
			Type: "button", SubType: "url", Index: "0", Parameters: []parameter{{Type: "text", Text: m.Template.Button}},
		})
	}
	return t
}
