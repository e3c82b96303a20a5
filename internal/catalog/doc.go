// Package catalog owns categories, games, their elements and the draw schedule.
//
// A game says how its outcome is drawn (mechanics), what may be bet on it and what that pays
// (betting_rules) and when it is drawn (schedule_config). Codes are text: "0" and "00" are different
// animals. draw_number is unique per game and business day.
//
// Data flow: rows -> Game and Draw, cached for seconds and read by every sale; Generate turns
// schedules into draws of the coming days. What a sale must be certain of (a draw's status) it checks
// again inside its own transaction.
package catalog
