package config

import (
	"os"
	"reflect"
)

// environ is the only read of the environment in the program.
func environ() []string { return os.Environ() }

// variable is one setting as the tags describe it.
type variable struct {
	name     string // of the variable, with its prefix
	field    string // of the Go field
	kind     string // of value, for people
	fallback string // default
}

// variables lists the settings below a struct type.
func variables(t reflect.Type, prefix string) []variable {
	var list []variable
	for field := range t.Fields() {
		if !field.IsExported() {
			continue // derived, not read
		}
		name, tagged := field.Tag.Lookup("env")
		if !tagged {
			list = append(list, variables(field.Type, prefix+field.Tag.Get("envPrefix"))...)
			continue
		}
		list = append(list, variable{
			name: prefix + name, field: field.Name, kind: kindOf(field.Type), fallback: field.Tag.Get("envDefault"),
		})
	}
	return list
}

// kindOf names a type as an operator would.
func kindOf(t reflect.Type) string {
	switch t.String() {
	case "int", "int32":
		return "whole number"
	case "bool":
		return "true or false"
	case "time.Duration":
		return `duration (such as "15m")`
	case "*time.Location":
		return `time zone (such as "America/Caracas")`
	case "[]time.Duration":
		return `list of durations (such as "1m,5m")`
	case "config.AssistantModels":
		return "JSON array of models"
	case "[]netip.Prefix":
		return "list of addresses or ranges"
	default:
		return "value"
	}
}
