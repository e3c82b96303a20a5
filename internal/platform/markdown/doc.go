// Package markdown renders Markdown as HTML that is harmless whoever wrote the text: it has no elements, addresses and scripts
// but those that it writes itself. It imports nothing of the module.
package markdown
