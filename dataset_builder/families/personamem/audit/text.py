"""Text: what no context may hold, whoever wrote it. A build refuses it before it is written."""

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.dataset_builder.core.text.messages import read_texts
from personamem.dataset_builder.core.text.personal import find_personal
from personamem.dataset_builder.core.text.repeats import MAX_REPEATED, RepeatCounter
from personamem.dataset_builder.core.text.residue import find_residue
from personamem.loaders.formats.schema import ContextRecord

RESIDUE = Check(
    Section.TEXT, "template residue", "Unfilled slots, and joints of text that do not fit."
)
PERSONAL = Check(
    Section.TEXT, "personal data", "What could reach or identify somebody outside the benchmark."
)
REPEATS = Check(
    Section.TEXT,
    "exact duplicates within a context, highest context",
    f"Contexts of which over {MAX_REPEATED:.1%} of the long messages equal an earlier one.",
)


def check_text(context: ContextRecord) -> Violations:
    """Check the text of one context, as the audit does, at a fraction of its cost."""
    violations = Violations()
    texts = read_texts(context.context_id, context.messages)
    for check, found in (
        (RESIDUE, find_residue(texts, slips=True)),
        (PERSONAL, find_personal(texts)),
    ):
        for kind, hits in found.items():
            for place in hits.places:
                violations.add(
                    check,
                    f"context {context.context_id}, message {place.message}: {kind}: "
                    f"{place.excerpt}",
                )
    repeats = RepeatCounter()
    repeats.add([message["content"] for message in context.messages if message["role"] != "system"])
    if repeats.share > MAX_REPEATED:
        violations.add(REPEATS, f"context {context.context_id}: {repeats.share:.2%}")
    return violations
