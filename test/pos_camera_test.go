package test

import (
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// seesBy puts a camera and a detector of codes in the place of the browser's: it sees what window.seen is, and counts cameras that are on.
const seesBy = `{
	window.on = 0
	window.BarcodeDetector = class {
		static async getSupportedFormats() { return window.formats || ["qr_code"] }
		async detect(video) { return video.srcObject && window.seen ? [{rawValue: window.seen}] : [] }
	}
	const getUserMedia = async ({video}) => {
		if (window.refuses) throw new DOMException("Permission denied", "NotAllowedError")
		window.asked = video.facingMode
		window.on++
		const stream = document.createElement("canvas").captureStream(), [track] = stream.getTracks(), stop = track.stop.bind(track)
		track.stop = () => { window.on--; stop() }
		return stream
	}
	Object.defineProperty(navigator, "mediaDevices", {value: {getUserMedia}, configurable: true})
}`

// The camera reads the code of a receipt and is off then; another code, a refused camera and a browser without a detector are said.
func counterReadsByCamera(c *counter) {
	t := c.t
	c.tab.Before(seesBy)
	c.open()
	ticket := c.sells("19")
	serial, _ := ticket["serial_code"].(string)
	browser.Value[bool](c.tab, `document.querySelector('[data-do="camera"]').click() ?? true`)
	c.says("delante de la cámara")
	browser.Value[bool](c.tab, `window.seen = "https://example.com/menu"; true`)
	c.says("no es de un recibo")
	assert.Equal(t, 1, browser.Value[int](c.tab, `window.on`))
	c.looks("camera")
	browser.Value[bool](c.tab, `window.seen = "HTTPS://EXAMPLE.COM/T/`+serial+`"; true`)
	c.titled(serial)
	c.tab.UntilWithin(testkit.WaitTimeout, `window.on === 0`)
	assert.Equal(t, "environment", browser.Value[string](c.tab, `window.asked`))
	c.keys(kb.Escape)

	browser.Value[bool](c.tab, `window.seen = ""; true`)
	browser.Value[bool](c.tab, `document.querySelector('[data-do="camera"]').click() ?? true`)
	c.tab.UntilWithin(testkit.WaitTimeout, `window.on === 1`)
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `window.on === 0`) // it is off once the dialog is closed
	browser.Value[bool](c.tab, `window.refuses = true`)
	browser.Value[bool](c.tab, `document.querySelector('[data-do="camera"]').click() ?? true`)
	c.says("No se pudo abrir la cámara")
	c.keys(kb.Escape)
	browser.Value[bool](c.tab, `window.formats = ["ean_13"]; true`)
	browser.Value[bool](c.tab, `document.querySelector('[data-do="camera"]').click() ?? true`)
	c.says("no lee códigos con la cámara")
	c.audit()
	c.keys(kb.Enter)
}
