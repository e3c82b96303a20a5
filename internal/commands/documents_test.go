package commands_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/commands"
)

// Every command that a document tells a person to run is one, with the flags and the number of arguments that are given.
func TestTheCommandsOfTheDocumentsExist(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	documents = append(documents, "../../README.md", "../../CONTRIBUTING.md", "../../deploy/kubernetes/README.md")
	command := regexp.MustCompile("`banca ([a-z][^`]*)`")
	commandsFound := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, found := range command.FindAllStringSubmatch(string(text), -1) {
			commandsFound++
			cmd, args, err := commands.Root("1.2.3").Find(strings.Fields(found[1]))
			if assert.NoError(t, err, "%s: %s", document, found[0]) && assert.True(t, cmd.Runnable(), "%s: %s", document, found[0]) {
				assert.NoError(t, cmd.ParseFlags(args), "%s: %s", document, found[0])
				assert.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), "%s: %s", document, found[0])
			}
		}
	}
	assert.Greater(t, commandsFound, 40)
}

// adopt-cluster changes the books, so it refuses to run without its flag, before it opens the database.
func TestAdoptClusterWantsConfirmation(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"adopt-cluster"}, {"adopt-cluster", "--confirm=false"}} {
		cmd := commands.Root("1.2.3")
		cmd.SetArgs(args)
		require.ErrorContains(t, cmd.ExecuteContext(t.Context()), "repeat with --confirm")
	}
}
