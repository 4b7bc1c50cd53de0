"""Dialogues between an assistant and a simulated user, graded by a judge: tasks of inspect-ai."""
