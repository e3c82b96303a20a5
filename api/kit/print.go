package kit

import "github.com/danielgtaylor/huma/v2"

// PrintFormat is the format of a receipt or a slip.
type PrintFormat struct {
	Format string `query:"format" enum:"png,png1,png-rgb,escpos,escpos-raster,png-80,escpos-80,escpos-raster-80" default:"png" doc:"png has one bit a pixel, png-rgb soft edges in 8-bit RGB, escpos is text for a printer, escpos-raster dots; -80 is for paper of 80 mm (48 columns, 576 dots), without it for 58 mm; png1 is a former name of png"`
}

// Print is a receipt or a slip: a picture, or commands for a printer. Nothing between the server and the client keeps
// it.
type Print struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

// PrintByID is the input of a print of one object.
type PrintByID struct {
	ByID
	PrintFormat
}

// PrintOf returns the answer with a print of a media type, or err.
func PrintOf(content []byte, mediaType string, err error) (*Print, error) {
	if err != nil {
		return nil, err
	}
	return &Print{ContentType: mediaType, CacheControl: "private, no-store", Body: content}, nil
}

// PrintResponses describes the answer Print of an operation.
func PrintResponses(description string) map[string]*huma.Response {
	binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	return ContentResponses(
		description, map[string]*huma.Schema{"image/png": binary, "application/octet-stream": binary},
	)
}
