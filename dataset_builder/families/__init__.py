"""The families of benchmarks, one folder each, behind one registry."""
