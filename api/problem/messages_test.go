package problem

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
)

// hole replaces what varies in a message.
const hole = "{}"

// Every message of a refused part has its text in both languages: the English one is the message itself, and the
// Spanish one keeps what varies.
func TestEveryMessageOfADetailHasBothLanguages(t *testing.T) {
	t.Parallel()
	declared, err := declared()
	require.NoError(t, err)
	keys := map[string]string{} // by the English text with its holes
	for key, text := range texts()[English] {
		if strings.HasPrefix(key, fieldPrefix) {
			keys[argument.ReplaceAllString(text, hole)] = key
		}
	}
	verb := regexp.MustCompile(`%[#+]?[a-z]`)
	found := map[string]bool{}
	for _, of := range []string{messageType, faultType, reasonType} {
		for message, at := range declared.Values[of] {
			template := strings.ReplaceAll(verb.ReplaceAllString(message, hole), "%%", "%")
			template = argument.ReplaceAllString(template, hole) // {base} is a part of some messages
			found[template] = true
			if message == "" {
				continue
			}
			if key := keys[template]; assert.NotEmpty(t, key, "%s: %q has no key field.* in locales/texts.json", at, message) {
				assertTranslated(t, key)
			}
		}
	}
	for _, known := range []string{"is missing", "{} has {} %, its parent {} %", "names an unknown variable", "expected 1 to 1000 characters", "does not match {}"} {
		require.Contains(t, found, known)
	}
}

// assertTranslated fails unless the message of a key is recognised as such and its arguments are kept.
func assertTranslated(t *testing.T, key string) {
	t.Helper()
	message, want, n := texts()[English][key], texts()[Spanish][key], 0
	for _, name := range slices.Compact(argument.FindAllString(message, -1)) {
		n++
		value := strconv.Itoa(10 * n)
		message, want = strings.ReplaceAll(message, name, value), strings.ReplaceAll(want, name, value)
	}
	assert.Equal(t, message, FieldText(English, message))
	assert.Equal(t, want, FieldText(Spanish, message))
}

// The messages that catalog makes of a schema name types and formats of JSON; each that a schema uses has its own text.
func TestTypesAndFormatsOfTheSchemasHaveTexts(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	for _, field := range catalog.Fields() {
		raw, err := catalog.Schema(field)
		require.NoError(t, err)
		var schema any
		require.NoError(t, json.Unmarshal(raw, &schema))
		collectMessages(t, schema, messages)
	}
	for _, known := range []string{"expected string or object", "expected integer", "is not a valid date"} {
		require.Contains(t, messages, known)
	}
	_, fixed := fieldMessages()
	for message := range messages {
		assert.Contains(t, fixed, message)
	}
}

func collectMessages(t *testing.T, schema any, messages map[string]bool) {
	t.Helper()
	switch s := schema.(type) {
	case []any:
		for _, inner := range s {
			collectMessages(t, inner, messages)
		}
	case map[string]any:
		switch s["type"].(type) {
		case string, []any:
			compiler := jsonschema.NewCompiler()
			require.NoError(t, compiler.AddResource("type", map[string]any{"type": s["type"]}))
			compiled, err := compiler.Compile("type")
			require.NoError(t, err)
			refused, ok := errors.AsType[*jsonschema.ValidationError](compiled.Validate(nil))
			require.True(t, ok)
			require.Len(t, refused.Causes, 1)
			want, ok := refused.Causes[0].ErrorKind.(*kind.Type)
			require.True(t, ok)
			messages["expected "+strings.Join(want.Want, " or ")] = true
		}
		if format, ok := s["format"].(string); ok {
			messages["is not a valid "+format] = true
		}
		for _, inner := range s {
			collectMessages(t, inner, messages)
		}
	}
}

// A weak password is refused with all rules in both languages.
func TestTheTextsOfAWeakPasswordNameAllRules(t *testing.T) {
	t.Parallel()
	assert.Equal(t, auth.ErrWeakPassword.Message, Text(English, "error.WEAK_PASSWORD", nil))
	for _, rule := range []string{"8", "72", "nombre", "común"} {
		assert.Contains(t, Text(Spanish, "error.WEAK_PASSWORD", nil), rule)
	}
}

// A part that is refused with the message of the error itself has the text of the error's code.
func TestADetailThatRepeatsItsErrorIsTranslated(t *testing.T) {
	t.Parallel()
	refused := apperr.New(apperr.Invalid, "PICTURE_TYPE", "neither PNG nor JPEG")
	p := From(refused.At("logo"))
	assert.Equal(t, Text(Spanish, "error.PICTURE_TYPE", nil), p.In(Spanish).Errors[0].Message)
	p = From(refused.At("logo"))
	assert.Equal(t, refused.Message, p.In(English).Errors[0].Message)
}
