"""Annotations: what is noted beside a question, held against its quad in the world."""

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.questions.quads import Quad
from personamem.dataset_builder.families.personamem.questions.rows import (
    describe_quad,
    name_question,
)
from personamem.dataset_builder.families.personamem.world.threads import Thread
from personamem.loaders.formats.schema import Annotation, Question

ANNOTATIONS = Check(
    Section.TRUTH,
    "annotations",
    "Questions whose id, topic, thread, pair, option roles or option keys are not the world's.",
)


def check_annotation(
    config: PersonaMemConfig,
    quad: Quad,
    thread: Thread,
    persona_index: int,
    question: Question,
    annotation: Annotation,
    violations: Violations,
) -> None:
    """Check a question, asked of the persona ``persona_index`` of a cohort, and its annotation."""
    expected = describe_quad(quad, quad.roles_of(thread, persona_index), persona_index)
    stated = {name: getattr(annotation, name) for name in expected}
    expected |= {
        "question_id": name_question(config, quad.plan.quad_id, persona_index),
        "topic": quad.plan.topic,
    }
    stated |= {"question_id": question.question_id, "topic": question.topic}
    for name, value in expected.items():
        if stated[name] != value:
            violations.add(
                ANNOTATIONS,
                f"question {question.question_id}: {name} is {stated[name]!r}, expected {value!r}",
            )
