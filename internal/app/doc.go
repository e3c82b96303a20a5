// Package app is the only place that wires things together: stores -> domain services -> api, worker and
// scheduler. main and the end-to-end tests use the same pieces.
//
// Run starts any of the three roles in this process. Package dev starts all of them on the embedded stack with
// simulators of the outside world.
package app
