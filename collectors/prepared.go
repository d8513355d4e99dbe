package collectors

// prepared keeps what is made once per record and used at each scrape, above all label pairs. Records are replaced and never changed,
// so a record's address stands for its content.
type prepared[K comparable, V any] struct {
	now, before map[K]V
}

// get gives what was made for the key, or makes it.
func (p *prepared[K, V]) get(k K, make func() V) V {
	if v, ok := p.now[k]; ok {
		return v
	}
	v, ok := p.before[k]
	if !ok {
		v = make()
	}
	if p.now == nil {
		p.now = map[K]V{}
	}
	p.now[k] = v
	return v
}

// sweep ends a scrape: what was not asked for since the last sweep is let go.
func (p *prepared[K, V]) sweep() {
	clear(p.before)
	p.now, p.before = p.before, p.now
}
