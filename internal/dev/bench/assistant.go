package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/config"
)

// onlyAssistant is the name of the measurement of the assistant, for Options.Only.
const onlyAssistant = "assistant"

// Questions of the measurement.
const (
	questionsEach = 30 // of a client
	answerWithin  = 60 * time.Second
)

// asked is a question that was answered.
type asked struct{ first, done time.Duration }

// assistant measures the time from a question to the first word of its answer and to its end, through the API, the queue, a simulated model without delays and the stream.
func (s *benchTestbed) assistant(ctx context.Context, out io.Writer) (err error) {
	c, err := s.startChild(ctx, string(config.ModeDev))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	_, _ = fmt.Fprintf(out, "\nassistant: %d questions of each client, one after the other, a simulated model without delays\n\n", questionsEach)
	_, _ = fmt.Fprintln(out, "| clients | first word p50 ms | p95 ms | whole answer p50 ms | p95 ms |\n| --- | --- | --- | --- | --- |")
	for _, clients := range []int{1, 4} {
		list, err := askAll(ctx, c, clients)
		if err != nil {
			return err
		}
		first, done := &result{}, &result{}
		for _, a := range list {
			first.latencies, done.latencies = append(first.latencies, a.first), append(done.latencies, a.done)
		}
		_, _ = fmt.Fprintf(out, "| %d | %s | %s | %s | %s |\n", clients, millis(first.quantile(0.5)), millis(first.quantile(0.95)), millis(done.quantile(0.5)), millis(done.quantile(0.95)))
	}
	var attempts, input, output int64
	err = s.pg.Pool.QueryRow(ctx, `SELECT sum(attempts), sum(input_tokens), sum(output_tokens) FROM assistant_usage`).Scan(&attempts, &input, &output)
	if err != nil {
		return err
	}
	const all = questionsEach * (1 + 4)
	_, _ = fmt.Fprintf(out, "\nan answer: %.1f calls of the model, %d tokens in, %d out (four bytes a token)\n", float64(attempts)/all, input/all, output/all)
	return nil
}

func askAll(ctx context.Context, c *child, clients int) ([]asked, error) {
	var mu sync.Mutex
	var list []asked
	var errs []error
	var running sync.WaitGroup
	for client := range clients {
		running.Go(func() {
			token, err := c.login(ctx, login(client))
			for range questionsEach {
				var a asked
				if err == nil {
					a, err = c.ask(ctx, token)
				}
				mu.Lock()
				list, errs = append(list, a), append(errs, err)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return list, errors.Join(errs...)
}

// ask asks a question and reads its answer as a stream.
func (c *child) ask(ctx context.Context, token string) (a asked, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	begin := time.Now()
	res, err := c.call(ctx, http.MethodPost, "/ai/chat", token, []byte(`{"message":"¿cuánto vendimos hoy?"}`))
	if err != nil {
		return a, err
	}
	var answer struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := errors.Join(json.NewDecoder(res.Body).Decode(&answer), res.Body.Close()); err != nil || answer.Data.ID == "" {
		return a, fmt.Errorf("ask: status %d: %w", res.StatusCode, err)
	}
	if res, err = c.call(ctx, http.MethodGet, "/ai/chat/messages/"+answer.Data.ID+"/stream", token, nil); err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "event: text" && a.first == 0:
			a.first = time.Since(begin)
		case line == "event: done":
			a.done = time.Since(begin)
		case strings.HasPrefix(line, "data: ") && a.done > 0:
			return a, nil
		}
	}
	return a, errors.Join(lines.Err(), errors.New("the stream ended without an answer"))
}

func (c *child) call(ctx context.Context, method, path, token string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+c.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}
