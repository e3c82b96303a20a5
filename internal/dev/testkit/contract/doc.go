// Package contract checks HTTP answers against the OpenAPI document of the API. The suites pass every answer
// through it, so an answer that the document does not describe fails the test that made the call.
//
// Invariants: an answer of a described path has a status and a content type that the operation lists; the code of a
// problem is listed for its status; a JSON body fits the
// schema, and holds no property that the schema does not name. The document itself leaves answers open for added
// properties; [Parse] closes the schemas for the checks only.
package contract
