package cluster

// maxRefusals bounds the objects about which a FailedCreate Event is kept. A cluster that refuses more than this at once has one
// cause, and the first ones tell it.
const maxRefusals = 10_000

// newestRefusals names each Event after the object that it is about and keeps the newest of each: the API server makes one Event per
// attempt, since each names another Pod, and only that there is a refusal and which matters.
func newestRefusals(records []any) []any {
	newest, kept := map[key]int{}, make([]any, 0, len(records))
	for _, r := range records {
		renamed := *r.(*Event) // the record may be in a table already, where it must not change
		e := &renamed
		e.Name = e.InvolvedKind + "/" + e.InvolvedName
		i, ok := newest[e.key()]
		switch {
		case !ok:
			if len(kept) < maxRefusals {
				newest[e.key()] = len(kept)
				kept = append(kept, e)
			}
		case e.Last >= kept[i].(*Event).Last:
			kept[i] = e
		}
	}
	return kept
}

// admits tells whether the Event is news: not older than what is known of its object, and within the bound.
func (d *tables) admits(e *Event) bool {
	if known := d.Events.get(e.key()); known != nil {
		return e.Last >= known.Last
	}
	return d.Events.Len() < maxRefusals
}

// outdates tells whether a newer Event about the same object is known than the one that has expired.
func (d *tables) outdates(expired *Event) bool {
	known := d.Events.get(expired.key())
	return known != nil && known.Last > expired.Last
}
