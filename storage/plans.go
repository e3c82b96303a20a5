package storage

import (
	"maps"
	"slices"
	"strings"
)

// fixedPlans are the settings of connections and transactions that commit. Their few statements take arrays of any
// length, for which Postgres would plan anew every time, which costs more than running them. A plan made once may
// be made while a table is still empty, when reading all of it looks cheap: hence no sequential scans. Bitmap
// scans cost more to start than the few rows they find, and parallel workers take milliseconds.
func fixedPlans() map[string]string {
	return map[string]string{
		"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off", "max_parallel_workers_per_gather": "0",
	}
}

// FixPlans is a statement that gives a transaction of the common pool what the connections of Commits have.
func FixPlans() string {
	settings := fixedPlans()
	calls := make([]string, 0, len(settings))
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		calls = append(calls, "set_config('"+name+"', '"+settings[name]+"', true)")
	}
	return "SELECT " + strings.Join(calls, ", ")
}
