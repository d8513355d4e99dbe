package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown bounds what an error repeats of a flag's value.
const maxShown = 200

// quoted gives a flag's value for an error.
func quoted(value string) string { return strconv.Quote(cut(value, maxShown)) }

// cut shortens a text to so many bytes, and an ellipsis.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// oneLine folds the lines of an error's text into one that a terminal can show, and shortens what is too long to be read.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), ":\n", ": ")
	text = strings.ReplaceAll(text, "\n", "; ")
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.Map(printable, cut(w, maxShown+len(`"…":`))) // leaves a quoted value as it is
	}
	return strings.Join(words, " ")
}

// printable puts a mark in the place of control characters and of bytes that are no text.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}
