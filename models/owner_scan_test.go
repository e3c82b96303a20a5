package models_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// writeVerb is the beginning of a statement that writes the table named next.
const writeVerb = `\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|COPY|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?`

// unknown stands in a text for a part that is no constant.
const unknown = "\x00"

var (
	sqlComment    = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
	variableWrite = regexp.MustCompile(`(?is)(\w+\s+)?` + writeVerb + `(?:%|` + unknown + `)`)
)

// gormWrites are the methods of gorm that write rows, and pgx's.
func gormWrites() []string {
	return []string{"Create", "CreateInBatches", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "FirstOrCreate", "CopyFrom"}
}

// gormReads are the methods of gorm that read the table of a row type.
func gormReads() []string {
	return []string{"Model", "Find", "FindInBatches", "First", "Last", "Take"}
}

// writes matches a statement that writes the table, or its view.
func (o *ownedTable) writes() *regexp.Regexp {
	name := `(?:public\.)?"?(?:` + o.name
	if o.view != "" {
		name += "|" + o.view
	}
	name += `)\b`
	return regexp.MustCompile(`(?is)` + writeVerb + name + `|\bTRUNCATE\s[^;]*\b` + name)
}

// usedIn reports whether a file has a statement that writes the table, or a call of gorm or pgx on its rows. Of a private table
// it reports every statement.
func (o *ownedTable) usedIn(s *source) bool {
	writes, reads := o.writes(), regexp.MustCompile(`\b`+o.name+`\b`)
	for _, text := range s.texts {
		if lower := strings.ToLower(text); !strings.Contains(lower, o.name) && (o.view == "" || !strings.Contains(lower, o.view)) {
			continue
		}
		if writes.MatchString(text) || o.private && reads.MatchString(text) {
			return true
		}
	}
	if !s.names["models."+o.model] && !s.names[o.name] && !s.names[o.view] {
		return false
	}
	found := false
	for _, decl := range s.file.Decls {
		rows := o.variablesIn(decl)
		ast.Inspect(decl, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && o.isUse(call, rows) {
				found = true
			}
			return !found
		})
	}
	return found
}

// isUse reports whether a call is one of gorm or pgx that writes the table, or reads it if it is private.
func (o *ownedTable) isUse(call *ast.CallExpr, rows map[string]bool) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if slices.Contains(gormWrites(), method.Sel.Name) {
		return o.isOn(call, rows)
	}
	return o.private && slices.Contains(gormReads(), method.Sel.Name) && o.isOn(call, rows)
}

// variablesIn returns the variables and parameters of a declaration that are declared by the row type or by a call with it.
func (o *ownedTable) variablesIn(decl ast.Decl) map[string]bool {
	rows := map[string]bool{}
	add := func(names []*ast.Ident, by ...ast.Node) {
		for _, n := range by {
			if o.isOn(n, nil) {
				for _, name := range names {
					rows[name.Name] = true
				}
			}
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			add(n.Names, n.Type)
		case *ast.ValueSpec:
			if n.Type != nil {
				add(n.Names, n.Type)
			}
			for _, value := range n.Values {
				add(n.Names, value)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						add([]*ast.Ident{name}, n.Rhs[i])
					}
				}
			}
		}
		return true
	})
	return rows
}

// isOn reports whether a call of gorm, with the chain before it and its arguments, names the table, its row type or one of
// these variables.
func (o *ownedTable) isOn(root ast.Node, rows map[string]bool) bool {
	found := false
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its calls are seen by themselves
		case *ast.Ident:
			found = found || rows[n.Name]
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "models" && o.model != "" && n.Sel.Name == o.model {
				found = true
			}
		case *ast.BasicLit:
			name := firstWord(n)
			found = found || name != "" && (name == o.name || name == o.view)
		}
		return !found
	})
	return found
}

// source is a file with what the scan reads of it.
type source struct {
	file  *ast.File
	texts []string
	names map[string]bool // types of package models, and the first words of texts
}

func sourceOf(file *ast.File) *source {
	s := &source{file: file, texts: textsOf(file), names: map[string]bool{}}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "models" {
				s.names["models."+n.Sel.Name] = true
			}
		case *ast.BasicLit:
			if name := firstWord(n); name != "" {
				s.names[name] = true
			}
		}
		return true
	})
	return s
}

// firstWord returns the first word of a text, or "".
func firstWord(lit *ast.BasicLit) string {
	text, err := strconv.Unquote(lit.Value)
	if err != nil || lit.Kind != token.STRING {
		return ""
	}
	word, _, _ := strings.Cut(text, " ")
	return word
}

// textsOf returns the texts of a file, each sum of texts as one, without the comments of SQL.
func textsOf(file *ast.File) []string {
	constants := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok && len(value.Names) == len(value.Values) {
					for i, name := range value.Names {
						constants[name.Name] = textOf(value.Values[i], constants)
					}
				}
			}
		}
		return true
	})
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			texts = append(texts, withoutComments(textOf(n, nil)))
		case *ast.BinaryExpr:
			texts = append(texts, withoutComments(textOf(n, constants)))
		}
		return true
	})
	return texts
}

// textOf returns the value of a text, with unknown for each part that is no constant of the file.
func textOf(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.ParenExpr:
		return textOf(e.X, constants)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return textOf(e.X, constants) + textOf(e.Y, constants)
		}
	case *ast.Ident:
		if text, ok := constants[e.Name]; ok {
			return text
		}
	}
	return unknown
}

// withoutComments returns SQL with a space for each comment.
func withoutComments(sql string) string {
	if !strings.Contains(sql, "--") && !strings.Contains(sql, "/*") {
		return sql
	}
	return sqlComment.ReplaceAllString(sql, " ")
}

// writesVariableTable reports whether a file has a statement that writes a table which its text does not name. UPDATE after FOR
// and KEY is a lock.
func writesVariableTable(s *source) bool {
	for _, text := range s.texts {
		for _, match := range variableWrite.FindAllStringSubmatch(text, -1) {
			if before := strings.ToUpper(strings.TrimSpace(match[1])); before != "FOR" && before != "KEY" {
				return true
			}
		}
	}
	return false
}
