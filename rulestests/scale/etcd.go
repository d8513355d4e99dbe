package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"tocsin/rulestests/scale/synthetic"
)

// store writes to etcd through its JSON gateway, which needs no client library. What is written under an API server's keys reaches it as
// its own writes would.
type store struct {
	url    string
	client *http.Client
}

func newStore(url string) *store {
	return &store{url, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

// etcd refuses requests of more than 1.5 MB and transactions of more than 128 operations.
const (
	batchBytes = 1 << 20
	batchCount = 100
)

// operation is one part of a transaction: with a value a put, else a delete. encoding/json writes bytes in base64, as the gateway reads them.
type operation struct {
	Put    *keyValue `json:"requestPut,omitempty"`
	Delete *keyValue `json:"requestDeleteRange,omitempty"`
}

type keyValue struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value,omitempty"`
}

// put makes the operation that stores an object.
func put(o runtime.Object) (operation, error) {
	var b bytes.Buffer
	if err := synthetic.Encode(&b, o); err != nil {
		return operation{}, err
	}
	return operation{Put: &keyValue{[]byte(synthetic.Key(o)), b.Bytes()}}, nil
}

// remove makes the operation that deletes an object.
func remove(o runtime.Object) operation {
	return operation{Delete: &keyValue{Key: []byte(synthetic.Key(o))}}
}

// batch collects operations and commits them, several transactions at a time.
type batch struct {
	store   *store
	ctx     context.Context
	most    int // operations in a transaction
	pending []operation
	bytes   int
	slots   chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	err     error
}

// fill gives a batch with large transactions, for when no API server looks on.
func (s *store) fill(ctx context.Context) *batch {
	return &batch{store: s, ctx: ctx, most: batchCount, slots: make(chan struct{}, 4)}
}

// changes gives a batch in which each operation has a revision of its own, as an API server's writes have. A watch that resumes at a
// revision takes all of it for seen: of several changes with the same it would miss some.
func (s *store) changes(ctx context.Context) *batch {
	return &batch{store: s, ctx: ctx, most: 1, slots: make(chan struct{}, 16)}
}

// add takes an operation. Its error is that of an earlier one.
func (b *batch) add(o operation) error {
	b.pending = append(b.pending, o)
	if o.Put != nil {
		b.bytes += len(o.Put.Value)
	}
	if b.bytes >= batchBytes || len(b.pending) >= b.most {
		b.flush()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

func (b *batch) flush() {
	operations := b.pending
	b.pending, b.bytes = nil, 0
	if len(operations) == 0 {
		return
	}
	b.slots <- struct{}{}
	b.running.Go(func() {
		defer func() { <-b.slots }()
		if err := b.store.commit(b.ctx, operations); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.err = err
		}
	})
}

// end commits what is left and waits for all.
func (b *batch) end() error {
	b.flush()
	b.running.Wait()
	return b.err
}

func (s *store) commit(ctx context.Context, operations []operation) error {
	body, err := json.Marshal(map[string]any{"success": operations})
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		again, err := s.post(ctx, body)
		switch {
		case err == nil:
			return nil
		case !again || attempt == attempts:
			return fmt.Errorf("write to etcd: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second << attempt):
		}
	}
}

// attempts is how often a transaction is tried again. On a machine that is busy etcd runs out of time; to put or delete twice does no harm.
const attempts = 5

// post sends a transaction, and tells of a failure whether it may pass.
func (s *store) post(ctx context.Context, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v3/kv/txn", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", response.Status, answer)
	}
	return response.StatusCode == http.StatusServiceUnavailable, err
}
