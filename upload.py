"""Publish a dataset on the Hub: ``python upload.py D --repo-id owner/name --tag v1.0.0``.

The same as ``personamem publish``, which has the options and says what is done.
"""

import sys

from personamem.dataset_builder.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["publish"]
    main()
