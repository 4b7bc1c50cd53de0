"""The prompt templates of chats."""

from pathlib import Path

from personamem.dataset_builder.llm.writing.templating import PromptTemplates

PROMPTS = PromptTemplates(Path(__file__).parent / "templates")
