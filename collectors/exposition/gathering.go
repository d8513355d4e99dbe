package exposition

import (
	"cmp"
	"slices"
)

// row is one sample. The strings are those of Labels that live as long as their objects do: a gathering copies no text, and lays it
// out only while it is written to a scraper, in whichever format that one understands.
type row struct {
	value        float64
	object, rest string
}

// nearby is how many samples of one object are compared one by one before a set is made of them.
const nearby = 16

// rows are a family's samples in the order in which they were written.
type rows struct {
	family   *Family
	rows     []row
	dropped  int
	excluded bool
	// seen holds the series once they come out of order, when a new one can no longer be told by the last one alone.
	seen      map[[2]string]struct{}
	unordered bool
}

// Gathering is the sink of a scrape: it keeps the samples of one moment by family, at most so many of each, and each series once. It
// is written by one goroutine at a time; once written it may be read by many.
type Gathering struct {
	// Limit is how many series of a family are kept; 0 keeps all.
	Limit    int
	exclude  func(metric string) bool
	families map[*Family]*rows
}

// NewGathering gives an empty gathering. exclude tells of a metric's name whether its family is left out; nil leaves out none.
func NewGathering(limit int, exclude func(metric string) bool) *Gathering {
	return &Gathering{Limit: limit, exclude: exclude, families: map[*Family]*rows{}}
}

// Write takes one sample. One too many, or a series that was written before, is counted in Dropped.
func (g *Gathering) Write(f *Family, value float64, object, rest Labels) {
	r := g.families[f]
	if r == nil {
		r = &rows{family: f, excluded: g.exclude != nil && g.exclude(f.Name)}
		g.families[f] = r
	}
	switch {
	case r.excluded:
	case g.Limit > 0 && len(r.rows) >= g.Limit, !r.isNew(object.text, rest.text):
		r.dropped++
	default:
		r.rows = append(r.rows, row{value, object.text, rest.text})
	}
}

// isNew tells whether no series with these labels was written yet. Two samples of one series make Prometheus refuse the whole scrape.
// As a rule objects come in order, and comparing with the last one is enough.
func (r *rows) isNew(object, rest string) bool {
	if !r.unordered {
		i := len(r.rows) - 1
		if i < 0 || r.rows[i].object < object {
			return true
		}
		for end := i - nearby; i >= 0 && i > end && r.rows[i].object == object; i-- {
			if r.rows[i].rest == rest {
				return false
			}
		}
		if i < 0 || r.rows[i].object < object {
			return true
		}
		r.remember()
	}
	k := [2]string{object, rest}
	if _, again := r.seen[k]; again {
		return false
	}
	r.seen[k] = struct{}{}
	return true
}

func (r *rows) remember() {
	r.unordered = true
	if r.seen == nil {
		r.seen = make(map[[2]string]struct{}, 2*len(r.rows))
	}
	for _, s := range r.rows {
		r.seen[[2]string{s.object, s.rest}] = struct{}{}
	}
}

func (r *rows) reset() {
	clear(r.rows) // lets go of the labels of objects that are gone
	clear(r.seen)
	r.rows, r.dropped, r.unordered = r.rows[:0], 0, false
}

// Reset empties the gathering for the next scrape and keeps its memory.
func (g *Gathering) Reset() {
	for _, r := range g.families {
		r.reset()
	}
}

// Forget drops what was written to the families.
func (g *Gathering) Forget(families []*Family) {
	for _, f := range families {
		if r := g.families[f]; r != nil {
			r.reset()
		}
	}
}

// Dropped is how many samples of the family were not kept since the last Reset.
func (g *Gathering) Dropped(f *Family) int {
	if r := g.families[f]; r != nil {
		return r.dropped
	}
	return 0
}

// Excluded tells whether the family is left out.
func (g *Gathering) Excluded(f *Family) bool { return g.exclude != nil && g.exclude(f.Name) }

// Len is the number of samples that are kept.
func (g *Gathering) Len() int {
	n := 0
	for _, r := range g.families {
		n += len(r.rows)
	}
	return n
}

// sorted gives the families that have samples, by name.
func (g *Gathering) sorted() []*rows {
	all := make([]*rows, 0, len(g.families))
	for _, r := range g.families {
		if len(r.rows) > 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *rows) int { return cmp.Compare(a.family.Name, b.family.Name) })
	return all
}
