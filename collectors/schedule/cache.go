package schedule

import (
	"strings"
	"sync"
	"time"
)

// maxCachedZones bounds the zones that a Cache holds. The database has about 600 names.
const maxCachedZones = 1024

// Cache keeps parsed schedules, so that each is parsed once and not at every scrape, and their zones, so that a
// thousand schedules in Europe/Paris hold it once. It is bounded: when it is full, an arbitrary entry makes room,
// which costs one more parse if it is asked for again. It is safe for concurrent use.
type Cache struct {
	limit       int
	defaultZone string

	mu      sync.RWMutex
	entries map[cacheKey]cacheEntry
	zones   map[string]*time.Location
}

type cacheKey struct{ spec, timeZone string }

type cacheEntry struct {
	schedule *Schedule
	problem  Problem
}

// NewCache makes a cache of at most limit schedules (at least one), for CronJobs of a cluster whose
// kube-controller-manager runs in defaultZone ("" for UTC).
func NewCache(limit int, defaultZone string) *Cache {
	return &Cache{
		limit:       max(limit, 1),
		defaultZone: defaultZone,
		entries:     map[cacheKey]cacheEntry{},
		zones:       map[string]*time.Location{},
	}
}

// Get is Parse with the cache's default zone. The same arguments give the same *Schedule for as long as it is held.
func (c *Cache) Get(spec, timeZone string) (*Schedule, Problem) {
	key := cacheKey{spec, timeZone}
	c.mu.RLock()
	entry, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		return entry.schedule, entry.problem
	}

	s, problem := parse(spec, timeZone, c.defaultZone, c.load)
	if len(spec) > maxSpecLength || len(timeZone) > maxZoneLength {
		return s, problem // refused without being parsed, and the bound is one on memory, too
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, ok := c.entries[key]; ok {
		return entry.schedule, entry.problem
	}
	if len(c.entries) >= c.limit {
		evictOne(c.entries)
	}
	key = cacheKey{strings.Clone(spec), strings.Clone(timeZone)}
	c.entries[key] = cacheEntry{s, problem}
	return s, problem
}

// Len is the number of schedules held.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.entries)
}

func (c *Cache) load(name string) (*time.Location, error) {
	c.mu.RLock()
	loc, ok := c.zones[name]
	c.mu.RUnlock()
	if ok {
		return loc, nil
	}
	loc, err := LoadZone(name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, ok := c.zones[name]; ok {
		return held, nil
	}
	if len(c.zones) >= maxCachedZones {
		evictOne(c.zones)
	}
	c.zones[strings.Clone(name)] = loc
	return loc, nil
}

func evictOne[K comparable, V any](m map[K]V) {
	for key := range m {
		delete(m, key)
		return
	}
}
