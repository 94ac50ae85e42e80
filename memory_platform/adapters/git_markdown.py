"""A folder of texts as a bare git repository, commit by commit: the same steps give the same commits.

Each commit ends with a signature over what it holds (Ed25519): whoever has a clone and the public key can tell that a
commit is the deployment's own. Who did it is a label; there is no address.
"""

import base64
import fcntl
import json
import re
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import uuid4

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from dulwich.diff_tree import tree_changes
from dulwich.errors import GitProtocolError
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import HEADREF, Ref
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend, UploadPackHandler
from dulwich.web import HTTPGitApplication

BRANCH: Final = Ref(b"refs/heads/main")
FILE: Final = "MEMORY.md"
HISTORY_FOLDER: Final = "history"
LOG_FOLDER: Final = "log"
NUMBERS_FILE: Final = "numbers.json"
MOST_NEGOTIATION_BYTES: Final = 1_048_576
"""What a client may say about the commits it has."""
MOST_FILE_BYTES: Final = 8 * 1024 * 1024
MOST_LINES: Final = 20_000
"""Of the history; the log may have any number."""
PART_LINES: Final = 5_000
PART_CHARACTERS: Final = 2_000_000
LONGEST_LINE: Final = 100_000
"""What is read of a clone: bytes of a file, lines of the history and of the log, and characters of a line."""
OBJECTS_AT_ONCE: Final = 5_000
FEW_OBJECTS: Final = 100
"""So many are written one by one: a pack each would make many packs, each of which every look-up asks."""
_TRAILER: Final = b"\nDeployment-Signature: ed25519:"
_FILE: Final = 0o100644
_FOLDER: Final = 0o040000
_SERVICE: Final = "git-upload-pack"
_IS_ID: Final = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to be: the whole folder by paths of at most one folder, who, when (seconds since 1970, UTC), and why."""

    files: Mapping[str, str]
    author: str
    at: int
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a git client is told."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class History:
    """What a clone holds for those who restore from it: every line there was, the last numbers that `changes` and
    `decisions` got (0: it does not say), and how many lines the log has (`read_log`).
    """

    lines: tuple[Mapping[str, Any], ...]
    changes: int
    decisions: int
    logged: int
    head: str


@dataclass(frozen=True, slots=True)
class ToldCommit:
    """A commit as it is told: who, when (seconds since 1970, UTC) and why, which files it changed, and one of them
    before and after. `is_signed`: with the folder's key.
    """

    id: str
    author: str
    at: int
    message: str
    is_signed: bool
    files: tuple[str, ...]
    before: str
    after: str


class GitFolder:
    """One bare repository at `path`, made when it is first written to. Use it within `writing` or `reading`."""

    def __init__(self, path: Path, *, key: Ed25519PrivateKey) -> None:
        self._path = path
        self._key = key
        self._public_key = key.public_key()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep others out, of this machine."""
        with self._locked(fcntl.LOCK_EX):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep writers out."""
        with self._locked(fcntl.LOCK_SH):
            yield

    def trees(self) -> list[str]:
        """The folders of all commits, the oldest first, by their ids."""
        return [commit.tree.decode() for commit in self._commits()]

    def head(self) -> str | None:
        """The id of the last commit."""
        if not self._path.exists():
            return None
        with Repo(str(self._path)) as repo:
            found = repo.refs.read_ref(BRANCH)
            return None if found is None else found.decode()

    def note(self, text: str) -> None:
        """Remember, beside the repository, what it was made of."""
        self._noted.write_text(f"{self.head()} {text}", encoding="utf-8")

    def is_noted(self, text: str) -> bool:
        """Whether that was noted of the repository as it is."""
        return self._noted.exists() and self._noted.read_text(encoding="utf-8") == f"{self.head()} {text}"

    @property
    def _noted(self) -> Path:
        return self._path.with_suffix(".noted")

    def signed(self) -> int:
        """How many commits carry a signature made with the key."""
        return sum(_is_signed(commit, self._public_key) for commit in self._commits())

    def changes(self, path: str, *, behind: str | None, most: int) -> list[ToldCommit]:
        """The last commits, the newest first, or those before the one with the id `behind`; `path` is the file whose
        texts are told. Raises LookupError when there is no such commit.
        """
        head = self.head()
        if head is None:
            return []
        with Repo(str(self._path)) as repo:
            start = ObjectID(head.encode()) if behind is None else _parent(_commit_of(repo, behind))
            found = repo.get_walker(include=[start], max_entries=most) if start else ()
            return [self._change(repo, entry.commit, path) for entry in found]

    def append(self, steps: Iterable[NewCommit]) -> None:
        """Add commits to the end."""
        if not self._path.exists():
            self._path.mkdir(parents=True)
            with Repo.init_bare(str(self._path)) as repo:
                repo.refs.set_symbolic_ref(HEADREF, BRANCH)
        with Repo(str(self._path)) as repo:
            parent, folder, waiting = _id_of(repo.refs.read_ref(BRANCH)), _Folder(), list[ShaFile]()
            for step in steps:
                tree, objects = folder.of(step.files)
                commit = self._commit(step, tree, parent)
                waiting += [*objects, commit]
                parent = commit.id
                if len(waiting) >= OBJECTS_AT_ONCE:
                    _store(repo, waiting)
                    waiting.clear()
            _store(repo, waiting)
            if parent is not None:
                repo.refs[BRANCH] = parent

    def rewrite(self, steps: Iterable[NewCommit]) -> None:
        """Make the repository anew, and take away all that was in the old one."""
        # A crash may have left one that was to go.
        for left in self._path.parent.glob(f".{self._path.name}.*"):
            shutil.rmtree(left)
        fresh, old = (self._path.with_name(f".{self._path.name}.{uuid4().hex}") for _ in range(2))
        GitFolder(fresh, key=self._key).append(steps)
        if self._path.exists():
            self._path.rename(old)
        fresh.rename(self._path)
        shutil.rmtree(old, ignore_errors=True)

    def serve(self, method: str, path: str, query: str, *, content_type: str, encoding: str, body: bytes) -> Reply:
        """Answer a git client that fetches (smart HTTP); nobody can push. `path` is what follows the repository's."""
        is_asked = (method, path) == ("GET", "info/refs") and parse_qs(query).get("service") == [_SERVICE]
        if not is_asked and (method, path) != ("POST", _SERVICE):
            return Reply(403, {"Content-Type": "text/plain"}, b"This repository is fetched from with git clone.\n")
        said = _inflated(body) if encoding == "gzip" else body
        if said is None or len(said) > MOST_NEGOTIATION_BYTES:
            return Reply(413, {"Content-Type": "text/plain"}, b"Too much.\n")
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": f"/{path}",
            "QUERY_STRING": query,
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(said)),
            "wsgi.input": BytesIO(said),
        }
        try:
            with Repo(str(self._path)) as repo:
                return _answered(repo, environ)
        except (GitProtocolError, KeyError, ValueError):
            return Reply(400, {"Content-Type": "text/plain"}, b"This is not what a git client asks.\n")

    def _change(self, repo: Repo, commit: Commit, path: str) -> ToldCommit:
        parent = _parent(commit)
        before = None if parent is None else _commit_of(repo, parent.decode()).tree
        told, _, _ = commit.message.rpartition(_TRAILER)
        return ToldCommit(
            id=commit.id.decode(),
            author=commit.author.decode().removesuffix(" <>"),
            at=commit.author_time,
            message=told.decode().strip(),
            is_signed=_is_signed(commit, self._public_key),
            files=tuple(_changed(repo, before, commit.tree)),
            before="" if before is None else _text(repo, before, path),
            after=_text(repo, commit.tree, path),
        )

    def _commits(self) -> list[Commit]:
        head = self.head()
        if head is None:
            return []
        with Repo(str(self._path)) as repo:
            return list(_commits_to(repo, ObjectID(head.encode())))

    def _commit(self, step: NewCommit, tree: ObjectID, parent: ObjectID | None) -> Commit:
        commit = Commit()
        commit.tree = tree
        commit.parents = [] if parent is None else [parent]
        commit.author = commit.committer = f"{_label(step.author)} <>".encode()
        commit.author_time = commit.commit_time = step.at
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding = b"UTF-8"
        commit.message = step.message.encode() + b"\n"
        signature = self._key.sign(_signed_part(commit, commit.message))
        commit.message += _TRAILER + base64.b64encode(signature) + b"\n"
        return commit

    @contextmanager
    def _locked(self, kind: int) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("a") as handle:
            fcntl.flock(handle, kind)
            yield


def tree_of(files: Mapping[str, str]) -> str:
    """The id of a folder with these files."""
    return _Folder().of(files)[0].decode()


def read_clone(path: Path) -> History:
    """What somebody's clone tells, for a restore. Raises ValueError when it is no clone of ours, or too much."""
    try:
        with Repo(str(path)) as repo:
            head = repo.head()
            root = _tree(repo, getattr(repo[head], "tree", b""))
            root[FILE.encode()]
            told = tuple(_told(repo, root, HISTORY_FOLDER, most=MOST_LINES))
            numbers = _parsed(_text(repo, root.id, NUMBERS_FILE) or "{}")
            changes, decisions = (int(numbers.get(name, 0)) for name in ("changes", "decisions"))
            logged = sum(1 for _ in _told(repo, root, LOG_FOLDER))
    except _TooMuch:
        raise
    except Exception as error:
        raise ValueError(f"{path} is no clone of a curated memory.") from error
    return History(told, changes, decisions, logged, head.decode())


def signed_commits(path: Path, public_key: bytes) -> tuple[int, int]:
    """How many commits of somebody's clone were signed with the key of this public half, and how many there are.

    Raises ValueError when it is no clone, or no Ed25519 key.
    """
    public = Ed25519PublicKey.from_public_bytes(public_key)
    try:
        with Repo(str(path)) as repo:
            told = [_is_signed(commit, public) for commit in _commits_to(repo, ObjectID(repo.head()))]
    except Exception as error:
        raise ValueError(f"{path} is no clone of a curated memory.") from error
    return sum(told), len(told)


def read_log(path: Path) -> Iterator[list[Mapping[str, Any]]]:
    """The log of a clone that was read, in order, in parts of at most PART_LINES lines and PART_CHARACTERS characters:
    of a log of any length one day's file is in memory.
    """
    with Repo(str(path)) as repo:
        root = _tree(repo, getattr(repo[repo.head()], "tree", b""))
        part, size = list[Mapping[str, Any]](), 0
        for line in _told(repo, root, LOG_FOLDER):
            length = len(json.dumps(line))
            if part and (len(part) == PART_LINES or size + length > PART_CHARACTERS):
                yield part
                part, size = [], 0
            part.append(line)
            size += length
        if part:
            yield part


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """One JSON object a line, its keys in order."""
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True, default=str) + "\n" for row in rows)


def _commits_to(repo: Repo, head: ObjectID) -> Iterator[Commit]:
    """The oldest first."""
    return (entry.commit for entry in repo.get_walker(include=[head], reverse=True))


def _is_signed(commit: Commit, public_key: Ed25519PublicKey) -> bool:
    told, _, signature = commit.message.rpartition(_TRAILER)
    try:
        public_key.verify(base64.b64decode(signature.strip()), _signed_part(commit, told))
    except (InvalidSignature, ValueError):
        return False
    return True


def _signed_part(commit: Commit, message: bytes) -> bytes:
    parts = [commit.tree, *commit.parents, commit.author, str(commit.author_time).encode(), message]
    return b"\0".join(parts)


class _TooMuch(ValueError):
    """A clone says more than can be restored."""


class _Folder:
    """A folder as objects of git, step after step: what is as it was in the step before is not made again."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, ObjectID]] = {}

    def of(self, files: Mapping[str, str]) -> tuple[ObjectID, list[ShaFile]]:
        """The id of the folder with these files, and the objects that are new in it."""
        root, folders, fresh = Tree(), dict[str, Tree](), list[ShaFile]()
        for path, text in files.items():
            folder, _, name = path.rpartition("/")
            holder = folders.setdefault(folder, Tree()) if folder else root
            held = self._held.get(path)
            if held is None or held[0] != text:
                blob = Blob.from_string(text.encode())
                held = self._held[path] = (text, blob.id)
                fresh.append(blob)
            holder.add(name.encode(), _FILE, held[1])
        for name, tree in folders.items():
            root.add(name.encode(), _FOLDER, tree.id)
        return root.id, [*fresh, *folders.values(), root]


def _store(repo: Repo, objects: Sequence[ShaFile]) -> None:
    if len(objects) > FEW_OBJECTS:
        repo.object_store.add_objects([(one, None) for one in {one.id: one for one in objects}.values()])
        return
    for one in objects:
        repo.object_store.add_object(one)


def _commit_of(repo: Repo, commit_id: str) -> Commit:
    """Raises LookupError."""
    found = repo[ObjectID(commit_id.encode())] if _IS_ID.fullmatch(commit_id) else None
    if isinstance(found, Commit):
        return found
    raise LookupError(commit_id)


def _parent(commit: Commit) -> ObjectID | None:
    return next(iter(commit.parents), None)


def _changed(repo: Repo, before: ObjectID | None, after: ObjectID) -> Iterator[str]:
    for change in tree_changes(repo.object_store, before, after):
        entry = change.new or change.old
        if entry is not None and entry.path is not None:
            yield entry.path.decode()


def _text(repo: Repo, tree_id: ObjectID, name: str) -> str:
    """Of a file in the folder itself; empty where there is none."""
    tree = repo[tree_id]
    if not isinstance(tree, Tree) or name.encode() not in tree:
        return ""
    held = repo[tree[name.encode()][1]]
    return held.data.decode() if isinstance(held, Blob) else ""


def _id_of(found: bytes | None) -> ObjectID | None:
    return None if found is None else ObjectID(found)


def _tree(repo: Repo, tree_id: bytes) -> Tree:
    found = repo[tree_id]
    if not isinstance(found, Tree):
        raise ValueError("This is no folder.")  # noqa: TRY004  whoever reads a clone is told one kind of error
    return found


def _told(repo: Repo, root: Tree, folder: str, *, most: int | None = None) -> Iterator[Mapping[str, Any]]:
    """All lines of the files of a folder, in the order of their names; none where there is no such folder."""
    if folder.encode() not in root:
        return
    count = 0
    for entry in _tree(repo, root[folder.encode()][1]).items():
        held = repo[entry.sha]
        if not isinstance(held, Blob) or held.raw_length() > MOST_FILE_BYTES:
            raise _TooMuch(f"A file in {folder} is longer than {MOST_FILE_BYTES} bytes.")
        for line in filter(None, held.data.decode().split("\n")):
            count += 1
            if most is not None and count > most:
                raise _TooMuch(f"There are more than {most} lines in {folder}.")
            yield _parsed(line)


def _parsed(line: str) -> Mapping[str, Any]:
    if len(line) > LONGEST_LINE:
        raise _TooMuch(f"A line is longer than {LONGEST_LINE} characters.")
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("A line is no object.")  # noqa: TRY004  the same
    return found


def _label(author: str) -> str:
    return "".join(one for one in author if one.isprintable() and one not in "<>").strip() or "unknown"


def _inflated(body: bytes) -> bytes | None:
    """What was compressed; None when it is damaged or more than one may say."""
    try:
        reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        found = reader.decompress(body, MOST_NEGOTIATION_BYTES + 1)
    except zlib.error:
        return None
    return found if len(found) <= MOST_NEGOTIATION_BYTES else None


def _answered(repo: Repo, environ: Mapping[str, Any]) -> Reply:
    told: list[tuple[str, Sequence[tuple[str, str]]]] = []
    written: list[bytes] = []

    def start(status: str, headers: Sequence[tuple[str, str]], *_: Any) -> Any:
        told.append((status, headers))
        return written.append

    repositories: dict[str, BackendRepo] = {"/": repo}
    application = HTTPGitApplication(DictBackend(repositories))
    application.handlers = {_SERVICE.encode(): UploadPackHandler}
    written += list(application(dict(environ), start))
    status, headers = told[0]
    return Reply(int(status.split()[0]), dict(headers), b"".join(written))
