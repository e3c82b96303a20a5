// Package pixels bounds the memory that decoding pictures takes.
//
// A compressed picture of 250 KB may decode to 250 MB. Measure reads from its headers how many bytes decoding takes,
// before anything is decoded. Memory is a weighted semaphore over these bytes: all uploads of a process share one, so the
// bytes of the pictures that are decoded at the same time never exceed its size.
//
// Invariants: a picture is decoded only between Take and the release; the release of a large picture collects the garbage
// before it gives the bytes to the next one, because bytes that the collector still holds take memory, too.
package pixels
