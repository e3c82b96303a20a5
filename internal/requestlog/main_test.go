package requestlog

import (
	"os"
	"testing"

	"banca/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }
