// Package assistant answers questions of users about their figures. It owns the tables assistant_conversations,
// assistant_messages and assistant_usage.
//
// A message is a question with its answer and has the states pending, running, done, stopped and failed. Data flow:
// [Service.Ask] writes the message with its task; [Service.Answer] lets a model (internal/platform/completion) ask
// for tools, runs them as the user, and writes the answer, whose parts reach readers through a stream in Redis
// ([Service.Events]) and whose whole is in Postgres.
//
// Invariants:
//   - Tools only read, and only as the user of the conversation, whose rights are loaded before each call. A model
//     names no entity outside of the user's scope, no user and no statement.
//   - An answer is written by one run: the newest one. A run that died is repeated once from its beginning, then the
//     message fails.
//   - An unfinished message has a task of its own until it is finished, whichever task answers it. The oldest message
//     is answered first.
//   - The tokens of each call of a model are reserved before it and counted after it, also if the answer is stopped.
//   - Figures come from results of tools. Figures of an answer are compared with the results afterwards; the reader
//     is told the untraced ones.
//   - Texts of users and of the database are data: they reach a model as JSON strings without control characters.
//   - Without any model the answer is the user's own figures.
//   - Everything is bounded: questions, conversations, rounds, calls, times, tokens of an entity in a day.
package assistant
