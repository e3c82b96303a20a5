package storage

import (
	"maps"
	"slices"
	"strings"
)

// planForValues is the plan_cache_mode of the common pool. Its statements read lists and sums, for the root's whole tree or
// for one point of sale, for a draw with a hundred thousand tickets or with none: a plan kept for any value reads the
// wrong table first (an exposure of 300,000 tickets took 2.6 s by such a plan and 0.5 s by its own).
const planForValues = "force_custom_plan"

// fixedPlans are the settings of connections and transactions that commit. Their few statements take arrays of any
// length; Postgres would plan each execution, which costs more than running it. A generic plan may be made while a
// table is still empty and a sequential scan looks cheap: hence no sequential scans. Bitmap scans cost more to start
// than the few rows they find. Parallel workers are named for transactions behind a pooler, whose sessions have no settings.
func fixedPlans() map[string]string {
	return map[string]string{
		"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off", "max_parallel_workers_per_gather": "0",
	}
}

// FixPlans returns a statement that gives a transaction of Pool the settings of the connections of Commits.
func FixPlans() string {
	settings := fixedPlans()
	calls := make([]string, 0, len(settings))
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		calls = append(calls, "set_config('"+name+"', '"+settings[name]+"', true)")
	}
	return "SELECT " + strings.Join(calls, ", ")
}
