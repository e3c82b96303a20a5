package web

import (
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/web/admin/system"
)

// Every address that the runbook tells a person to open is a page of the panel or an operation of the API.
func TestTheAddressesOfTheRunbookExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/runbook.md")
	require.NoError(t, err)
	operations, err := os.ReadFile("../openapi.yaml")
	require.NoError(t, err)
	pages := map[string]bool{system.QueuesPath: true}
	for _, r := range watch(t).engine.Routes() {
		pages[r.Path] = pages[r.Path] || r.Method == http.MethodGet
	}
	found := regexp.MustCompile("`(?:GET )?(/[a-z/-]+)[^` ]*`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(found), 20)
	for _, address := range found {
		assert.True(t, pages[address[1]] || regexp.MustCompile(`(?m)^\s+`+address[1]+`:$`).Match(operations), address[1])
	}
}
