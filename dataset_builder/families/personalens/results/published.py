"""Figures that the paper reports (arXiv 2506.09902): 50 users, user agent Claude 3 Sonnet.

Completion is a share here, in the paper a percentage. Its Tables 3 and 12, 4, and the kappas.
"""

from collections.abc import Mapping

from personamem.loaders.personalens.schema import TaskKind

Row = tuple[float, float, float, float]
"""Task completion, personalization, naturalness and coherence of the assistant."""

ASSISTANTS: Mapping[TaskKind, Mapping[str, Row]] = {
    "SD": {
        "Claude 3 Haiku": (0.9595, 2.20, 3.77, 4.62),
        "Claude 3.5 Haiku": (0.9153, 2.32, 4.01, 4.86),
        "Claude 3 Sonnet": (0.9598, 2.13, 3.86, 4.71),
        "Llama 3.1 8B": (0.8955, 2.14, 3.90, 4.68),
        "Llama 3.1 70B": (0.9080, 2.21, 4.11, 4.86),
        "Mistral 7B v0.2": (0.8852, 1.93, 3.49, 4.38),
        "Mixtral 8x7B": (0.9138, 2.04, 3.88, 4.76),
    },
    "MD": {
        "Claude 3 Haiku": (0.7565, 1.98, 3.78, 4.66),
        "Claude 3.5 Haiku": (0.7085, 2.18, 4.08, 4.88),
        "Claude 3 Sonnet": (0.7749, 2.01, 3.84, 4.79),
        "Llama 3.1 8B": (0.7700, 2.03, 3.64, 4.33),
        "Llama 3.1 70B": (0.8303, 2.22, 4.02, 4.89),
        "Mistral 7B v0.2": (0.7454, 1.86, 3.18, 4.07),
        "Mixtral 8x7B": (0.7835, 2.00, 3.77, 4.67),
    },
}
"""Table 3, under the setting base."""

USER_AGENTS: Mapping[str, tuple[float, float]] = {
    "Claude 3 Haiku": (4.17, 4.77),
    "Claude 3.5 Haiku": (4.45, 4.85),
    "Claude 3 Sonnet": (4.12, 4.72),
    "Llama 3.1 8B": (4.43, 4.91),
    "Llama 3.1 70B": (4.53, 4.91),
    "Mistral 7B v0.2": (4.33, 4.81),
    "Mixtral 8x7B": (4.49, 4.87),
}
"""Table 12: naturalness and coherence of the user agent, by assistant; tasks of one domain."""

SETTINGS: Mapping[TaskKind, Mapping[str, tuple[float, float]]] = {
    "SD": {
        "vanilla": (0.9293, 2.16),
        "base": (0.9598, 2.13),
        "d": (0.9552, 2.16),
        "i": (0.9683, 2.59),
        "s": (0.9574, 2.20),
        "all": (0.9631, 2.57),
    },
    "MD": {
        "vanilla": (0.7540, 2.08),
        "base": (0.7749, 2.01),
        "d": (0.7786, 2.05),
        "i": (0.8130, 2.32),
        "s": (0.7761, 2.06),
        "all": (0.8266, 2.31),
    },
}
"""Table 4: completion and personalization of Claude 3 Sonnet."""

KAPPAS: Mapping[str, tuple[float, float]] = {
    "task_completion": (0.780, 0.865),
    "personalization": (0.520, 0.750),
    "naturalness_user": (0.559, 0.682),
    "naturalness_assistant": (0.610, 0.756),
    "coherence_user": (0.738, 0.821),
    "coherence_assistant": (0.650, 0.748),
}
"""Cohen's kappa of three people with the judge (mean), Fleiss' among them; 100 dialogues."""
