"""What a clone of the curated memory tells is what was written, whatever is in it."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from dulwich.repo import Repo
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.git_markdown import (
    BRANCH,
    FILE,
    HISTORY_FOLDER,
    LOG_FOLDER,
    GitFolder,
    NewCommit,
    json_lines,
    read_clone,
    read_log,
    signed_commits,
)

KEY, ANOTHER = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
TRAILER = b"\nDeployment-Signature: ed25519:"
LINES = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=9), max_size=2), max_size=3)


@given(lines=LINES, log=LINES)
def test_a_clone_is_read_as_it_was_written(tmp_path_factory, lines, log):
    path = tmp_path_factory.mktemp("clones") / "memory.git"
    history, log_of_a_day = f"{HISTORY_FOLDER}/000000.jsonl", f"{LOG_FOLDER}/2026.jsonl"
    files = {FILE: "# Memory\n", history: json_lines(lines), log_of_a_day: json_lines(log)}

    GitFolder(path, key=KEY).append([NewCommit(files, author="Mara", at=1, message="first")])

    found = read_clone(path)
    told = [line for part in read_log(path) for line in part]
    assert (list(found.lines), told, found.logged) == (lines, log, len(log))


def test_no_sign_within_a_text_parts_its_line(tmp_path):
    lines = [{"text": "one\u2028two\u0085three\nfour"}]
    path = tmp_path / "memory.git"
    files = {FILE: "# Memory\n", f"{HISTORY_FOLDER}/000000.jsonl": json_lines(lines)}

    GitFolder(path, key=KEY).append([NewCommit(files, author="Mara", at=1, message="first")])

    assert list(read_clone(path).lines) == lines


def test_whoever_has_the_public_key_tells_the_commits_of_the_deployment_from_others(tmp_path):
    path = tmp_path / "memory.git"
    GitFolder(path, key=KEY).append([NewCommit({FILE: "# Memory\n"}, author="rules", at=1, message="first")])
    GitFolder(path, key=ANOTHER).append([NewCommit({FILE: "# Else\n"}, author="rules", at=2, message="forged")])

    assert signed_commits(path, KEY.public_key().public_bytes_raw()) == (1, 2)
    assert signed_commits(path, ANOTHER.public_key().public_bytes_raw()) == (1, 2)


@pytest.mark.parametrize(("key", "is_there"), [(b"", True), (b"x" * 31, True), (b"\0" * 33, True), (b"x" * 32, False)])
def test_what_is_no_key_or_no_clone_is_refused(tmp_path, key, is_there):
    path = tmp_path / "memory.git"
    if is_there:
        GitFolder(path, key=KEY).append([NewCommit({FILE: "# Memory\n"}, author="rules", at=1, message="first")])

    with pytest.raises(ValueError, match=r"key|clone"):
        signed_commits(path, key)


@pytest.mark.parametrize("message", [b"", b"first", b"first\n" + TRAILER, b"first\n" + TRAILER + b"a"])
def test_a_commit_without_a_signature_is_not_signed(tmp_path, message):
    path = tmp_path / "memory.git"
    GitFolder(path, key=KEY).append([NewCommit({FILE: "# Memory\n"}, author="rules", at=1, message="first")])
    with Repo(str(path)) as repo:
        commit = repo[repo.refs[BRANCH]].copy()
        commit.message = message
        repo.object_store.add_object(commit)
        repo.refs[BRANCH] = commit.id

    assert signed_commits(path, KEY.public_key().public_bytes_raw()) == (0, 1)
