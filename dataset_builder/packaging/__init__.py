"""Packaging: the files of a dataset, their manifest, and writing them all or not at all."""
