"""What processes of dialogues have in common, done once before they fork: see ``lens_process``."""

from functools import cache

import inspect_ai._util.package as package
import inspect_ai.model._openai_responses  # noqa: F401

import personamem.dataset_builder.families.personalens.lens_run  # noqa: F401

# inspect-ai looks through all packages for each task, and nobody installs any meanwhile.
package.packages_distributions = cache(package.packages_distributions)
package.packages_distributions()
