package guide

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"banca/docs"
)

// section is a heading of a document with the text up to the next one, in Markdown.
type section struct {
	level   int // 1 is the title
	heading string
	anchor  string
	body    string
}

var (
	headingForm = regexp.MustCompile(`^(#{1,6}) (.*)$`)
	linkForm    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

	// decisionForm is a reference to a decision, which the guide does not have.
	decisionForm = regexp.MustCompile(`\s*\(\[[^\]]*\]\(adr/[^)]*\)\)`)
)

// readDocument returns the sections of a document.
func readDocument(file string) ([]section, error) {
	raw, err := docs.Texts.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	sections := sectionsOf(decisionForm.ReplaceAllString(string(raw), ""))
	if len(sections) == 0 || sections[0].level != 1 {
		return nil, fmt.Errorf("guide: %s has no title", file)
	}
	return sections, nil
}

// sectionsOf divides a document at its headings. What is in a block of code is no heading.
func sectionsOf(text string) []section {
	var all []section
	var body strings.Builder
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].body = body.String()
		}
		body.Reset()
	}
	code, taken := false, map[string]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		found := headingForm.FindStringSubmatch(strings.TrimRight(line, " \r\n"))
		if code || found == nil {
			body.WriteString(line)
			continue
		}
		end()
		anchor := anchorOf(found[2])
		if n := taken[anchor]; n > 0 {
			taken[anchor]++
			anchor += "-" + strconv.Itoa(n)
		} else {
			taken[anchor] = 1
		}
		all = append(all, section{level: len(found[1]), heading: found[2], anchor: anchor})
	}
	end()
	return all
}

// anchorOf returns the anchor of a heading, as GitHub makes it.
func anchorOf(heading string) string {
	text := strings.ToLower(linkForm.ReplaceAllString(heading, "$1"))
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-', c == '_', unicode.IsLetter(c), unicode.IsNumber(c):
			return c
		default:
			return -1
		}
	}, strings.TrimSpace(text))
}

// within returns the section with an anchor and all below it, as a document of its own.
func within(sections []section, anchor string) []section {
	first, last := span(sections, anchor)
	own := append([]section(nil), sections[first:last]...)
	for i := range own {
		own[i].level -= sections[first].level - 1
	}
	return own
}

// except returns the sections without the one with an anchor and all below it.
func except(sections []section, anchor string) []section {
	first, last := span(sections, anchor)
	return append(append([]section(nil), sections[:first]...), sections[last:]...)
}

// span returns the indices of the section with an anchor, and of the next one that is not below it. Without such a
// section both are the number of sections.
func span(sections []section, anchor string) (first, last int) {
	first = len(sections)
	for i := range sections {
		if sections[i].anchor == anchor {
			first = i
			break
		}
	}
	for last = first; last < len(sections); last++ {
		if last > first && sections[last].level <= sections[first].level {
			break
		}
	}
	return first, last
}

var errHeadings = errors.New("guide: the headings of the languages differ")

// english returns the sections of a chapter in English.
func (c *chapter) english() ([]section, error) {
	sections, err := readDocument(c.file)
	if err != nil {
		return nil, err
	}
	switch {
	case c.section != "":
		sections = within(sections, c.section)
	case c.without != "":
		sections = except(sections, c.without)
	}
	if len(sections) == 0 {
		return nil, fmt.Errorf("guide: %s has no section %s", c.file, c.section)
	}
	return sections, nil
}

// translated returns the sections of a chapter in Spanish, with the anchors of the English ones, and those anchors by
// the ones that GitHub makes of the Spanish headings.
func (c *chapter) translated(english []section) ([]section, map[string]string, error) {
	sections, err := readDocument(c.spanish)
	if err != nil {
		return nil, nil, err
	}
	if len(sections) != len(english) {
		return nil, nil, fmt.Errorf("%w: %s has %d, %s %d", errHeadings, c.spanish, len(sections), c.file, len(english))
	}
	anchors := map[string]string{}
	for i := range sections {
		if sections[i].level != english[i].level {
			return nil, nil, fmt.Errorf("%w: %q and %q", errHeadings, sections[i].heading, english[i].heading)
		}
		anchors[sections[i].anchor] = english[i].anchor
		sections[i].anchor = english[i].anchor
	}
	return sections, anchors, nil
}
