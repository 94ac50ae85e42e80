"""What the commands of curation say of what was typed and of what they began."""

from pathlib import Path

import pytest

from apps.cli import curation
from memory_platform.errors import Invalid


@pytest.mark.parametrize("key", ["abc", "not base64!"])
def test_what_is_no_key_is_refused_with_where_to_get_one(tmp_path: Path, key: str) -> None:
    with pytest.raises(Invalid, match="is no public key") as refused:
        curation.verify(tmp_path, key)

    assert refused.value.hint == "`memory curated check` prints it."
