"""A model as the second checker of profiles, after the rules: see arXiv 2506.09902, section 3.2."""
