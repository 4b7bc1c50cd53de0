"""What should not be in a text, whoever wrote it: residue of templates, personal data, repeats.

A build refuses such a context, and an audit such a dataset.
"""
