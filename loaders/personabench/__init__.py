"""PersonaBench: open personal questions over private documents, read and scored.

``evaluate.Metric`` classes are in ``personamem.loaders.personabench.evaluate_metrics``, apart
because importing ``evaluate`` takes seconds.
"""

from personamem.loaders.personabench.benchmark import PersonaBench, load_personabench

__all__ = ["PersonaBench", "load_personabench"]
