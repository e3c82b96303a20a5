// Package dates finds days as people say them, in Spanish and in English: "ayer", "el lunes pasado", "del 1 al 15",
// "hace 3 días", "15/11", "last monday". A phrase is a range of business days, which is one day for most.
//
// A phrase without a year or month means the newest such day that is not later than a week from today, because
// questions are about the past; a running week, month or year ends today.
package dates
