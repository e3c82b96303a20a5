// Package gzipped compresses answers for clients that take it.
package gzipped

import (
	"bytes"
	"compress/gzip"
	"strings"
)

// Levels of the compression.
const (
	Fast = gzip.BestSpeed       // of an answer that is made for one request
	Best = gzip.BestCompression // of a file that is compressed once
)

// Coding is the value of Content-Encoding.
const Coding = "gzip"

// Bytes returns a content compressed at a level.
func Bytes(content []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// Accepted reports whether the values of Accept-Encoding name gzip.
func Accepted(values ...string) bool {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if strings.TrimSpace(name) == Coding && !refused(quality) {
				return true
			}
		}
	}
	return false
}

// refused reports whether a quality such as q=0.0 is 0.
func refused(quality string) bool {
	name, value, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(quality, " ", "")), "=")
	return name == "q" && strings.Trim(value, "0.") == ""
}
