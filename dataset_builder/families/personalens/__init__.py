"""Users with preferences in twenty domains, and the tasks that an assistant does for them.

The third family, after PersonaLens (arXiv 2506.09902). A user is drawn as demographics that belong
together, then as hidden traits, from which preferences follow by declared rules; histories, tasks
and situations are made from these. What people are like and how they are described is content.
"""
