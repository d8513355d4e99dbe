package exposition

import (
	"fmt"
	"testing"
)

var (
	state = &Family{Name: "tocsin_test_state", Help: "The state.", Labels: []string{"namespace", "name", "state"}}
	runs  = &Family{Name: "tocsin_test_runs_total", Help: `Runs, "all" of them\.` + "\nReally.", Type: Counter, Labels: []string{"namespace", "name", "result"}}
	total = &Family{Name: "tocsin_test_mismatches", Help: "No labels."}
)

func object(n int) Labels {
	return Pairs("namespace", "shop", "name", fmt.Sprintf("job-%04d", n))
}

func TestEachSeriesOnce(t *testing.T) {
	type write struct{ object, rest Labels }
	a, b := object(1), object(2)
	r1, r2, r3 := Pairs("result", "succeeded"), Pairs("result", "failed"), Pairs("result", "gone")
	none := Labels{}
	tests := map[string]struct {
		writes  []write
		dropped int
	}{
		"in order":                       {[]write{{a, r1}, {b, r1}}, 0},
		"the object again":               {[]write{{a, r1}, {a, r1}}, 1},
		"several of an object":           {[]write{{a, r1}, {a, r2}, {a, r3}, {b, r1}, {b, r2}, {b, r3}}, 0},
		"the first of an object again":   {[]write{{a, r1}, {a, r2}, {a, r3}, {a, r1}}, 1},
		"out of order":                   {[]write{{b, r1}, {a, r1}}, 0},
		"again out of order":             {[]write{{b, r1}, {a, r1}, {b, r1}, {a, r1}}, 2},
		"no labels":                      {[]write{{none, none}, {none, none}}, 1},
		"all labels in the second place": {[]write{{none, r2}, {none, r1}, {none, r2}}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := NewGathering(0, nil)
			for round := range 2 { // the second with the memory of the first
				for _, w := range tt.writes {
					g.Write(runs, 1, w.object, w.rest)
				}
				if got := g.Dropped(runs); got != tt.dropped {
					t.Errorf("round %d: %d dropped, want %d", round, got, tt.dropped)
				}
				if got, want := g.Len(), len(tt.writes)-tt.dropped; got != want {
					t.Errorf("round %d: %d kept, want %d", round, got, want)
				}
				g.Reset()
			}
		})
	}
}

func TestEachSeriesOnceOfManyWithoutAnObject(t *testing.T) {
	g := NewGathering(0, nil)
	for range 2 {
		for i := range 3 * nearby {
			g.Write(state, 1, Labels{}, object(i))
		}
	}
	if g.Len() != 3*nearby || g.Dropped(state) != 3*nearby {
		t.Errorf("%d kept and %d dropped, want %d of each", g.Len(), g.Dropped(state), 3*nearby)
	}
}

func TestLimitDropsTheLastAndCountsThem(t *testing.T) {
	g := NewGathering(3, nil)
	for i := range 5 {
		g.Write(state, float64(i), object(i), Pairs("state", "ok"))
		g.Write(total, 1, Labels{}, object(i))
	}
	if got := g.Dropped(state); got != 2 {
		t.Errorf("%d dropped, want 2", got)
	}
	if got := g.families[state].rows[2].value; got != 2 {
		t.Errorf("the last that is kept is %v, want 2", got)
	}
	g.Reset()
	if g.Dropped(state) != 0 || g.Len() != 0 {
		t.Error("a reset gathering is not empty")
	}
}

func TestExcludedFamilyIsNotWritten(t *testing.T) {
	g := NewGathering(1, func(m string) bool { return m == state.Name })
	for i := range 2 {
		g.Write(state, 1, object(i), Pairs("state", "ok"))
	}
	if g.Len() != 0 || g.Dropped(state) != 0 || !g.Excluded(state) || g.Excluded(runs) {
		t.Error("an excluded family has samples, or counts some as dropped")
	}
}

func TestForgetLeavesTheOthers(t *testing.T) {
	g := NewGathering(0, nil)
	g.Write(state, 1, object(1), Pairs("state", "ok"))
	g.Write(runs, 1, object(1), Pairs("result", "failed"))
	g.Forget([]*Family{state, total})
	if got := g.sorted(); len(got) != 1 || got[0].family != runs {
		t.Errorf("families left: %v", got)
	}
}
