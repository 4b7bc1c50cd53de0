"""What a model writes for PersonaBench: the private documents."""

from collections.abc import Iterator, Mapping, Sequence

from personamem.dataset_builder.core.config import BuildConfig, ModelSettings
from personamem.dataset_builder.families.base import WritingPlan
from personamem.dataset_builder.families.personabench.briefs import brief_documents
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig, configure
from personamem.dataset_builder.families.personabench.writers.items import DocumentItem
from personamem.dataset_builder.llm.writing.rounds import Conclusion
from personamem.loaders.personabench.schema import Utterance

Documents = Mapping[str, tuple[Utterance, ...]]
"""Messages of written documents by session id, without those that fell back."""


def plan_writing(config: BuildConfig) -> WritingPlan:
    """Return the documents that a model is to write."""
    if config.model is None:
        return WritingPlan()
    documents = list(lay_out_documents(configure(config), config.model))

    def collect(found: Sequence[Conclusion]) -> tuple[Documents, Sequence[Conclusion]]:
        texts = {
            name: conclusion.written
            for (name, _), conclusion in zip(documents, found, strict=True)
            if conclusion.written is not None
        }
        return texts, found

    return WritingPlan([item for _, item in documents], collect)


def lay_out_documents(
    config: PersonaBenchConfig, settings: ModelSettings
) -> Iterator[tuple[str, DocumentItem]]:
    """Yield the private documents to write, each with its id."""
    for number in range(config.communities):
        for document in brief_documents(config.seed, number):
            yield document.session_id, DocumentItem(document, settings)
