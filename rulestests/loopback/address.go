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

// Answers gives a check that a URL answers 200, to whoever has the token where it is not "".
func Answers(url, token string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a certificate that the server has made for itself a moment ago
		DisableKeepAlives: true,
	}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
			return fmt.Errorf("%s answers %s: %s", url, resp.Status, text)
		}
		return nil
	}
}
