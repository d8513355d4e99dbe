package cluster

// anyTable is a Table whose record type is not known.
type anyTable interface {
	put(record any)
	delete(last any)
	replace(scope string, records []any)
	settle()
	len() int
}

// erased makes a Table an anyTable.
type erased[T any] struct{ *Table[T] }

func (e erased[T]) len() int       { return e.owned }
func (e erased[T]) put(record any) { e.Table.put(record.(*T)) }

// delete takes an object's last state in first, since that may tell what no earlier one did, such as a Job's failure.
func (e erased[T]) delete(last any) {
	k := last.(interface{ key() key }).key()
	if row, ok := last.(*T); ok {
		if old := e.get(k); old != nil && metaOf(old).UID == metaOf(row).UID {
			e.Table.put(row)
		}
	}
	e.remove(k)
}

func (e erased[T]) replace(scope string, records []any) {
	listed := make(map[key]struct{}, len(records))
	for _, r := range records {
		listed[metaOf(r.(*T)).key()] = struct{}{}
	}
	e.settle() // no view is open while changes are applied
	for _, row := range e.order {
		if k := metaOf(row).key(); k.in(scope) {
			if _, ok := listed[k]; !ok {
				e.remove(k)
			}
		}
	}
	for _, r := range records {
		e.Table.put(r.(*T))
	}
}

func (d *tables) table(r Resource) anyTable {
	switch r {
	case CronJobs:
		return erased[CronJob]{&d.CronJobs}
	case Jobs:
		return erased[Job]{&d.Jobs}
	case Pods:
		return erased[Pod]{&d.Pods}
	case Namespaces:
		return erased[Namespace]{&d.Namespaces}
	case Events:
		return erased[Event]{&d.Events}
	case Claims:
		return erased[Claim]{&d.Claims}
	case Volumes:
		return erased[Volume]{&d.Volumes}
	case StatefulSets:
		return erased[StatefulSet]{&d.StatefulSets}
	case DaemonSets:
		return erased[DaemonSet]{&d.DaemonSets}
	case Deployments:
		return erased[Workload]{&d.Deployments}
	case ReplicaSets:
		return erased[Workload]{&d.ReplicaSets}
	case ReplicationControllers:
		return erased[Workload]{&d.ReplicationControllers}
	case Nodes:
		return erased[Node]{&d.Nodes}
	case Services:
		return erased[Service]{&d.Services}
	case StorageClasses:
		return erased[StorageClass]{&d.StorageClasses}
	case Budgets:
		return erased[Budget]{&d.Budgets}
	case Autoscalers:
		return erased[Autoscaler]{&d.Autoscalers}
	case Snapshots:
		return erased[Snapshot]{&d.Snapshots}
	}
	return erased[Reference]{&d.References}
}

func (d *tables) settle() {
	for r := range resourceCount {
		d.table(r).settle()
	}
}

// connect ties the indexes and the memory to the tables.
func (d *tables) connect(shard Shard) {
	d.shard = shard
	d.jobsByCronJob, d.podsByOwner, d.podsByClaim = index[UID, Job]{}, index[UID, Pod]{}, index[key, Pod]{}
	d.refusals, d.ignoredNames = index[UID, Event]{}, map[string]struct{}{}
	d.memory.init()

	follow(&d.CronJobs, d, func(old, new *CronJob) { d.memory.cronJob(old, new) })
	follow(&d.Jobs, d, func(old, new *Job) {
		d.memory.job(old, new, d.podsByOwner, &d.CronJobs)
		both(old, new, func(j *Job, f func(UID, *Job)) {
			if o, ok := j.CronJobOwner(); ok {
				f(o.UID, j)
			}
		}, d.jobsByCronJob)
	})
	follow(&d.Pods, d, func(old, new *Pod) {
		d.memory.pod(old, new, &d.Jobs)
		both(old, new, func(p *Pod, f func(UID, *Pod)) {
			if o, ok := p.Controller(); ok && (o.Kind == "Job" || o.Kind == "StatefulSet" || o.Kind == "DaemonSet") {
				f(o.UID, p)
			}
		}, d.podsByOwner)
		both(old, new, func(p *Pod, f func(key, *Pod)) {
			for i, c := range p.Claims {
				if !namedBefore(p.Claims[:i], c.Name) {
					f(key{p.Namespace, c.Name}, p)
				}
			}
		}, d.podsByClaim)
	})
	follow(&d.Events, d, func(old, new *Event) {
		both(old, new, func(e *Event, f func(UID, *Event)) { f(e.InvolvedUID, e) }, d.refusals)
	})
	follow(&d.Namespaces, d, func(old, new *Namespace) {
		if old != nil {
			delete(d.ignoredNames, old.Name)
		}
		if new != nil && new.Ignore {
			d.ignoredNames[new.Name] = struct{}{}
		}
	})
	follow(&d.Claims, d, nil)
	follow(&d.Volumes, d, nil)
	follow(&d.StatefulSets, d, nil)
	follow(&d.DaemonSets, d, nil)
	follow(&d.Deployments, d, nil)
	follow(&d.ReplicaSets, d, nil)
	follow(&d.ReplicationControllers, d, nil)
	follow(&d.Nodes, d, nil)
	follow(&d.Services, d, nil)
	follow(&d.StorageClasses, d, nil)
	follow(&d.Budgets, d, nil)
	follow(&d.Autoscalers, d, nil)
	follow(&d.Snapshots, d, nil)
	follow(&d.References, d, nil)
}

// follow has every change of a table counted and told to hook, which may be nil.
func follow[T any](t *Table[T], d *tables, hook func(old, new *T)) {
	count := func(row *T, n int) {
		if row == nil {
			return
		}
		m := metaOf(row)
		if m.Ignore || m.Broken {
			d.marked += n
		}
		if d.shard.Total < 2 || d.shard.owns(homeOf(any(row).(Record)), m.Name) {
			t.owned += n
			d.count(m, n)
		}
	}
	t.changed = func(old, new *T) {
		count(old, -1)
		count(new, 1)
		if hook != nil {
			hook(old, new)
		}
	}
}

// count counts what annotations of the shard's objects cannot be used.
func (d *tables) count(m *Meta, n int) {
	for i := range d.invalid {
		if m.Invalid&(1<<i) != 0 {
			d.invalid[i] += n
		}
	}
}

// both takes the old record out of an index and puts the new one in; keys gives the keys of a record.
func both[K comparable, T any](old, new *T, keys func(*T, func(K, *T)), x index[K, T]) {
	if old != nil {
		keys(old, x.drop)
	}
	if new != nil {
		keys(new, x.add)
	}
}

func namedBefore(claims []ClaimRef, name string) bool {
	for _, c := range claims {
		if c.Name == name {
			return true
		}
	}
	return false
}
