package demo

import (
	"os"
	"testing"

	"banca/internal/dev/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }
