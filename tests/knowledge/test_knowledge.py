"""What `assay.knowledge` offers."""

import subprocess
import sys

import assay.knowledge


def test_every_public_name_is_there() -> None:
    assert [name for name in assay.knowledge.__all__ if not hasattr(assay.knowledge, name)] == []
    assert {"LocalCorpus", "index_corpus", "open_source"} <= set(assay.knowledge.__all__)
    assert not hasattr(assay.knowledge, "nonsense")


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    program = "import sys, assay.knowledge; print({'numpy', 'aiohttp'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"
