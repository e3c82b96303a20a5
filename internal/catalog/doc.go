// Package catalog owns categories, games, their elements and the draw schedule.
//
// A game defines how its outcome is drawn (mechanics), which bets it has and what they pay (betting_rules) and when
// it is drawn (schedule_config). Codes are text: "0" and "00" are different animals. draw_number is unique per game
// and business day.
//
// Data flow: rows -> Game and Draw, cached for seconds and read by every sale; Generate turns schedules into draws of
// the coming days. A sale checks a draw's status again inside its own transaction.
package catalog
