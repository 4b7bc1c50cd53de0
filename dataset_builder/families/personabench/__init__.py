"""Open questions over private documents: communities, profiles, sessions, questions, proof.

The second family of questions, after PersonaBench (arXiv 2502.20616). Its world is a social graph
of people with profiles; documents and questions are both made from that world, neither from the
other. What people say about an attribute is content (``attributes``), not code.
"""
