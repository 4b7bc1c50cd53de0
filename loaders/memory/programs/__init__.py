"""Memory systems of others as programs: each file runs alone, in an environment with its package.

They read and write a JSON object a line (see ``loaders/memory/process.py``) and import nothing of
this project, so that what they need and what this project needs cannot clash.
"""
