// Package templates owns the texts of messages, the table message_templates. A text belongs to a purpose and a language. Entities inherit the texts
// of the nearest entity above them, and the built-in ones where there is none.
//
// A text has placeholders, such as {serial}; {{ and }} are braces. Their names are words of the text's language. A line whose placeholders are all
// empty, and that has no words, is left out.
//
// Data flow: a domain calls [Service.Compose] with the values of an event and queues the text that it returns. [Service.Put] and [Service.Delete]
// change texts.
//
// Invariants:
//   - A stored text was valid when it was stored: its placeholders exist, the required ones are there, and its longest message can be sent.
//   - Values are inserted once. A value with braces is no placeholder, and one that a person typed has neither markup nor line breaks.
package templates
