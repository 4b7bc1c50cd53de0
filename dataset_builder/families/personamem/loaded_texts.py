"""The bank of texts, loaded before the processes of a build are forked so that they share it.

Importing this module does it; nothing in it is called.
"""

from personamem.dataset_builder.families.personamem.build import load_texts

load_texts()
