package placement

import (
	"math/bits"
	"slices"
)

// few is how many nodes a set lists before it becomes a bitset: most sets are the one node of a local volume.
const few = 4

// nodeSet is a set of node slots. A small one needs no memory of its own; at 5,000 nodes a bitset is 632 bytes.
type nodeSet struct {
	n     int32
	small [few]int32 // the members, ascending, while there are no more than few
	words []uint64   // else
}

func (s *nodeSet) has(slot int32) bool {
	if s.n > few {
		w := int(slot >> 6)
		return slot >= 0 && w < len(s.words) && s.words[w]>>(uint(slot)&63)&1 == 1
	}
	return slices.Contains(s.small[:s.n], slot)
}

func (s *nodeSet) add(slot int32) {
	switch {
	case s.has(slot):
		return
	case s.n < few:
		i := s.n
		for ; i > 0 && s.small[i-1] > slot; i-- {
			s.small[i] = s.small[i-1]
		}
		s.small[i] = slot
	case s.n == few:
		s.words = s.words[:0]
		for _, m := range s.small {
			s.set(m)
		}
		fallthrough
	default:
		s.set(slot)
	}
	s.n++
}

func (s *nodeSet) set(slot int32) {
	for int(slot>>6) >= len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[slot>>6] |= 1 << (uint(slot) & 63)
}

func (s *nodeSet) remove(slot int32) {
	if !s.has(slot) {
		return
	}
	if s.n > few {
		s.words[slot>>6] &^= 1 << (uint(slot) & 63)
		if s.n--; s.n <= few {
			s.assign(s.words)
		}
		return
	}
	i := 0
	for s.small[i] != slot {
		i++
	}
	copy(s.small[i:s.n], s.small[i+1:s.n])
	s.n--
}

// assign makes the set that of a bitset; words may be its own.
func (s *nodeSet) assign(words []uint64) {
	s.n = count(words)
	if s.n > few {
		s.words = append(s.words[:0], words...)
		return
	}
	i := 0
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			s.small[i] = int32(w<<6 + bits.TrailingZeros64(word))
			i++
		}
	}
}

// or adds the set's members to a bitset that is large enough.
func (s *nodeSet) or(words []uint64) {
	if s.n > few {
		for i, w := range s.words {
			words[i] |= w
		}
		return
	}
	for _, m := range s.small[:s.n] {
		words[m>>6] |= 1 << (uint(m) & 63)
	}
}

// and takes from a bitset what is not in the set.
func (s *nodeSet) and(words []uint64) {
	if s.n > few {
		k := min(len(words), len(s.words))
		for i, w := range s.words[:k] {
			words[i] &= w
		}
		clear(words[k:])
		return
	}
	var kept [few]bool
	for i, m := range s.small[:s.n] {
		kept[i] = int(m>>6) < len(words) && words[m>>6]>>(uint(m)&63)&1 == 1
	}
	clear(words)
	for i, m := range s.small[:s.n] {
		if kept[i] {
			words[m>>6] |= 1 << (uint(m) & 63)
		}
	}
}

// andNot takes the set's members from a bitset.
func (s *nodeSet) andNot(words []uint64) {
	if s.n > few {
		for i, w := range s.words[:min(len(words), len(s.words))] {
			words[i] &^= w
		}
		return
	}
	for _, m := range s.small[:s.n] {
		if int(m>>6) < len(words) {
			words[m>>6] &^= 1 << (uint(m) & 63)
		}
	}
}

func count(words []uint64) int32 {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return int32(n)
}

// common counts the nodes that are in a and in b.
func common(a, b *nodeSet) int32 {
	if a.n > b.n {
		a, b = b, a
	}
	n := 0
	if a.n <= few {
		for _, m := range a.small[:a.n] {
			if b.has(m) {
				n++
			}
		}
		return int32(n)
	}
	k := min(len(a.words), len(b.words))
	y := b.words[:k]
	for i, w := range a.words[:k] {
		n += bits.OnesCount64(w & y[i])
	}
	return int32(n)
}
