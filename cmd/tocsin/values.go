package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/model"

	"tocsin/collectors/schedule"
)

// flagValue is a flag's value that names its flag when it cannot be used, which kingpin's own do not.
type flagValue[T any] struct {
	name  string
	to    *T
	parse func(string) (T, error)
}

// Set takes the value as typed.
func (v flagValue[T]) Set(s string) error {
	got, err := v.parse(s)
	if err != nil {
		return fmt.Errorf("--%s %s: %w", v.name, quoted(s), err)
	}
	*v.to = got
	return nil
}

// String gives the value for the help.
func (v flagValue[T]) String() string { return fmt.Sprint(*v.to) }

// setting adds a flag whose default is what to holds.
func setting[T any](app *kingpin.Application, name, help string, to *T, parse func(string) (T, error)) {
	app.Flag(name, help).Default(fmt.Sprint(*to)).SetValue(flagValue[T]{name, to, parse})
}

// choice is another library's value that names its flag when it is none of the options.
type choice struct {
	name string
	kingpin.Value
	options []string
}

// Set takes the value as typed.
func (c choice) Set(s string) error {
	if c.Value.Set(s) != nil {
		return fmt.Errorf("--%s %s: none of %s", c.name, quoted(s), strings.Join(c.options, ", "))
	}
	return nil
}

// snapshotTime is when a snapshot is judged: a moment, now, or, when it is zero, the newest moment in the snapshot.
type snapshotTime struct {
	at  time.Time
	now bool
}

// String gives what parseInstant reads.
func (t snapshotTime) String() string {
	switch {
	case t.now:
		return "now"
	case t.at.IsZero():
		return "latest"
	}
	return t.at.Format(time.RFC3339Nano)
}

func parseInstant(s string) (snapshotTime, error) {
	switch s {
	case "latest":
		return snapshotTime{}, nil
	case "now":
		return snapshotTime{now: true}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || at.IsZero() {
		return snapshotTime{}, errors.New("not an instant such as 2026-05-05T12:00:00Z, nor now or latest")
	}
	return snapshotTime{at: at}, nil
}

func count(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("not a whole number of 0 or more")
	}
	return n, nil
}

// duration takes a duration as Go and as Prometheus write it.
func duration(s string) (time.Duration, error) {
	if d, err := model.ParseDuration(s); err == nil {
		return time.Duration(d), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errors.New("not a duration such as 2m or 1h30m")
	}
	return d, nil
}

func zone(s string) (string, error) {
	_, err := schedule.LoadZone(s)
	return s, err
}
