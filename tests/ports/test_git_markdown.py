"""What a clone of the curated memory tells is what was written, whatever is in it."""

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.git_markdown import (
    FILE,
    HISTORY_FOLDER,
    LOG_FOLDER,
    GitFolder,
    NewCommit,
    json_lines,
    read_clone,
    read_log,
)

LINES = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=9), max_size=2), max_size=3)


@given(lines=LINES, log=LINES)
def test_a_clone_is_read_as_it_was_written(tmp_path_factory, lines, log):
    path = tmp_path_factory.mktemp("clones") / "memory.git"
    history, log_of_a_day = f"{HISTORY_FOLDER}/000000.jsonl", f"{LOG_FOLDER}/2026.jsonl"
    files = {FILE: "# Memory\n", history: json_lines(lines), log_of_a_day: json_lines(log)}

    GitFolder(path, key=b"k").append([NewCommit(files, author="Mara", at=1, message="first")])

    found = read_clone(path)
    told = [line for part in read_log(path) for line in part]
    assert (list(found.lines), told, found.logged) == (lines, log, len(log))


def test_no_sign_within_a_text_parts_its_line(tmp_path):
    lines = [{"text": "one\u2028two\u0085three\nfour"}]
    path = tmp_path / "memory.git"
    files = {FILE: "# Memory\n", f"{HISTORY_FOLDER}/000000.jsonl": json_lines(lines)}

    GitFolder(path, key=b"k").append([NewCommit(files, author="Mara", at=1, message="first")])

    assert list(read_clone(path).lines) == lines
