// Package secrets encrypts what must be kept but not read in the database: the credentials of messaging providers.
//
// A [Keyring] holds keys with names. The first one encrypts, all of them decrypt, so a key is replaced in three steps:
// put the new one first, encrypt again what an older one holds ([Keyring.Current] finds it), take the old one away.
//
// Invariants:
//   - A sealed value names its key and is bound to a context, such as the row that holds it: moved into another row it
//     does not open.
//   - No error repeats a key or a value.
package secrets
