"""Memory systems under test: one interface, controls, and a runner that is right in time."""
