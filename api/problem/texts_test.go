package problem

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/constants"
	"banca/internal/platform/apperr"
)

// declared returns the codes of errors, the codes of lines and the messages of fields that the source declares.
//
//nolint:gochecknoglobals // a lazy constant
var declared = sync.OnceValues(func() (*constants.Found, error) {
	return constants.Of(filepath.Join("..", ".."), []string{"api", "internal", "storage", "worker", "web"},
		codeType, lineType, messageType, faultType, reasonType)
})

// Types of constants with a text in both languages.
const (
	codeType    = "banca/internal/platform/apperr.Code"
	lineType    = "banca/internal/platform/apperr.LineCode"
	messageType = "banca/internal/platform/apperr.Message"
	faultType   = "banca/internal/lottery.fault"
	reasonType  = "banca/internal/messaging/channel.Reason"
)

// codes returns the codes of the program's errors and of refused lines, with a place in the source.
func codes(t *testing.T) (errors, lines map[string]string) {
	t.Helper()
	found, err := declared()
	require.NoError(t, err)
	errors, lines = found.Values[codeType], found.Values[lineType]
	require.Greater(t, len(errors), 150)
	require.Greater(t, len(lines), 10)
	for _, of := range []map[string]string{errors, lines} {
		for code, at := range of {
			require.Regexp(t, `^[A-Z][A-Z0-9_]+$`, code, at)
		}
	}
	return errors, lines
}

// Codes and messages are constants: another string becomes one in these places only.
func TestCodesAndMessagesAreConstants(t *testing.T) {
	t.Parallel()
	found, err := declared()
	require.NoError(t, err)
	var files []string
	for _, at := range found.Conversions {
		file, _, _ := strings.Cut(at, ":")
		files = append(files, filepath.ToSlash(file))
	}
	slices.Sort(files)
	require.Equal(t, []string{
		"../../api/problem/problem.go",     // the code of an apperr.Error
		"../../internal/messaging/send.go", // MESSAGE_ and the code of a provider's error, for the log
	}, files)
}

// Every code has a text in both languages, with the same arguments; a text of a code that is no more is found, too.
func TestEveryCodeHasBothLanguages(t *testing.T) {
	t.Parallel()
	errors, lines := codes(t)
	arguments := regexp.MustCompile(`\{[a-z_]+\}`)
	spanish, english := texts()[Spanish], texts()[English]
	require.Equal(t, slices.Sorted(maps.Keys(spanish)), slices.Sorted(maps.Keys(english)))
	for code, at := range errors {
		assert.NotEmpty(t, spanish["error."+code], "%s: %s", at, code)
	}
	for code, at := range lines {
		assert.NotEmpty(t, spanish["line."+code], "%s: %s", at, code)
	}
	for key, text := range spanish {
		assert.NotEmpty(t, text, key)
		assert.NotEmpty(t, english[key], key)
		assert.ElementsMatch(t, arguments.FindAllString(text, -1), arguments.FindAllString(english[key], -1), key)
		if code, ok := strings.CutPrefix(key, "error."); ok {
			assert.NotEmpty(t, errors[code], "%s names an error that is no more", key)
		}
		if code, ok := strings.CutPrefix(key, "line."); ok {
			assert.NotEmpty(t, lines[code], "%s names a refusal that is no more", key)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": Spanish, "es": Spanish, "es-VE,es;q=0.9": Spanish, "en": English, "en-GB, es;q=0.5": English, "EN-us": English, "fr, en;q=0.3": English,
		"fr": Spanish, "*": Spanish, "english": Spanish, "en;q=0, fr": Spanish, ";;,,": Spanish,
	} {
		assert.Equal(t, want, Language(header), header)
	}
}

// A line names its error in both languages, with its code; values that cannot be repeated are described.
func TestErrorsOfLinesHaveBothLanguages(t *testing.T) {
	t.Parallel()
	at := func(selection, language string) Detail {
		line := apperr.Line("UNKNOWN_SELECTION", "message", "selection", selection, "game", "Lotto Activo", "grid", "0, 00, 1..36")
		p := From(apperr.New(apperr.Invalid, "INVALID_TICKET", "the ticket has lines that cannot be sold").WithDetails(line.At("items[0]"))).In(language)
		require.Equal(t, []string{language}, p.GetHeaders()["Content-Language"])
		return p.Errors[0]
	}
	assert.Equal(t, "38 is not in the grid of Lotto Activo (0, 00, 1 to 36)", at("38", English).Message)
	assert.Equal(t, "38 no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)", at("38", Spanish).Message)
	assert.Equal(t, "la selección no está en la cuadrícula de Lotto Activo (0, 00, 1 a 36)", at("", Spanish).Message)
	raw, err := json.Marshal(at("38", English))
	require.NoError(t, err)
	assert.JSONEq(t, `{"location":"items[0]","code":"UNKNOWN_SELECTION","message":"38 is not in the grid of Lotto Activo (0, 00, 1 to 36)"}`, string(raw))
}
