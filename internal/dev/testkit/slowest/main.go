// Command slowest reads the events of `go test -json` and prints what go test prints without them: a line for each
// package, and the output of the tests that failed. At the end it lists the tests that took longest. It ends with 1 if a
// package failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// shown is how many tests are listed.
const shown = 12

// event is one line of `go test -json`, as cmd/test2json documents it.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string  // of what did not compile
	Elapsed                       float64 // seconds
}

func main() {
	failed, err := run(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
	}
	if failed || err != nil {
		os.Exit(1) //nolint:forbidigo // the status of a command
	}
}

func run(in io.Reader, out io.Writer) (failed bool, err error) {
	printed := bufio.NewWriter(out)
	defer func() { err = errors.Join(err, printed.Flush()) }()
	outputs := map[string]*strings.Builder{} // of the tests that run, by package and test
	var ended []event
	lines := json.NewDecoder(in)
	for lines.More() {
		var e event
		if err := lines.Decode(&e); err != nil {
			return true, err
		}
		name := e.Package + e.ImportPath + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			if outputs[name] == nil {
				outputs[name] = &strings.Builder{}
			}
			_, _ = outputs[name].WriteString(e.Output)
			continue
		case "fail", "build-fail":
			failed = true
		case "pass", "skip":
			if e.Test != "" {
				delete(outputs, name)
			}
		default:
			continue
		}
		if e.Test != "" && !strings.Contains(e.Test, "/") {
			ended = append(ended, e)
		}
		if text := outputs[name]; text != nil {
			_, _ = printed.WriteString(summary(e, text.String()))
			delete(outputs, name)
		}
		for other, text := range outputs { // of tests that a crash or the time limit ended
			if e.Test == "" && strings.HasPrefix(other, name) {
				_, _ = printed.WriteString(text.String())
				delete(outputs, other)
			}
		}
		if err := printed.Flush(); err != nil {
			return failed, err
		}
	}
	slices.SortFunc(ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	_, _ = printed.WriteString("slowest tests:\n")
	for _, e := range ended[:min(shown, len(ended))] {
		_, _ = fmt.Fprintf(printed, "%7.1f s  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
	return failed, nil
}

// summary returns the output of a test or package that ended, without what packages print that passed.
func summary(e event, text string) string {
	if e.Action != "pass" || e.Test != "" {
		return text
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1] + "\n"
}
