// Package markdown renders Markdown as HTML that is harmless for any text: it has no elements, addresses and scripts
// other than its own. Work and output are bounded (docs/adr/0024). It imports nothing of the module.
package markdown
