package loopback

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// Addresses gives n addresses, all different, that nobody listens on. Another process may take one before it is used; whoever was to have it
// then says so and is not ready.
func Addresses(n int) ([]string, error) {
	var addresses []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // at the end, so that no port is given twice
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// Port is the number in an address of Addresses.
func Port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// Answers gives a check that Get gives something.
func Answers(url, token string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := Get(ctx, url, token)
		return err
	}
}

// Get gives what a URL answers to whoever has the token, which may be "". Any answer but 200 is an error.
func Get(ctx context.Context, url, token string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a certificate that the server has made for itself a moment ago
		DisableKeepAlives: true,
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %.1000s", url, response.Status, body)
	}
	return body, err
}
