"""The deployment's own categories: read once, refused in a line that names the key."""

import pytest

from apps.tenants import taxonomy
from memory_platform.errors import Invalid
from memory_platform.model import Retention

OTHER = '\n[other]\nlabel = "Other"\n'


def read(tmp_path, text):
    path = tmp_path / "categories.toml"
    path.write_text(text, encoding="utf-8")
    return taxonomy.read(path)


def test_the_shipped_file_is_well_formed_and_teaches_every_category():
    found = {each.slug: each for each in taxonomy.read(taxonomy.SHIPPED)}

    assert len(found) == 18
    assert found["rules-conventions"].retention is Retention.NONE
    assert found["operations"].retention is Retention.OPERATIONAL
    assert min(len(each.examples) for each in found.values()) >= 4
    every = [example for each in found.values() for example in each.examples]
    assert len(every) == len(set(every))


def test_a_deployment_names_its_own(tmp_path):
    text = '[pets]\nlabel = "Pets"\nkeywords = ["dog"]\nttl_days = "never"\ndecay_lambda = 0.002\nprotected = true\n'
    pets, other = read(tmp_path, text + OTHER)

    assert (pets.slug, pets.keywords, pets.ttl_days, pets.retention, pets.protected) == (
        "pets", ("dog",), None, Retention.NONE, True
    )  # fmt: skip
    assert (other.ttl_days, other.decay_lambda) == (90, 0.01)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[work]\nlabel = "W"\nttl_days = 0', "work.ttl_days: Input should be greater than or equal to 1"),
        ('[work]\nlabel = "W"\nttl_days = 40000', "work.ttl_days: Input should be less than or equal to 36500"),
        ('[work]\nlabel = "W"\nttl_dys = 5', "work.ttl_dys: "),
        ('[work]\nlabel = ""', "work.label: "),
        ('[work]\nlabel = "W"\ndecay_lambda = nan', "work.decay_lambda: "),
        ('[work]\nlabel = "W"\nretention = "gone"', "work.retention: "),
        (f'[work]\nlabel = "W"\nkeywords = ["{"x" * 65}"]', "work.keywords.0: String should have at most 64"),
        (f'[work]\nlabel = "W"\nexamples = {["x"] * 51}', "work.examples: Tuple should have at most 50"),
        ('["a b"]\nlabel = "W"', "a b: "),
        ('[work]\nlabel = "W"\nslug = "x"', "work.slug: "),
        ("work = 1", "work stands in no table"),
        ("[work", "Expected ']'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_key_and_bound(tmp_path, text, told):
    with pytest.raises(Invalid) as refused:
        read(tmp_path, text + OTHER)
    assert told in refused.value.message
    assert "\n" not in refused.value.message
    assert str(tmp_path) in refused.value.message


def test_a_file_without_other_or_not_there_is_refused(tmp_path):
    with pytest.raises(Invalid, match=r"there is no \[other\]"):
        read(tmp_path, '[work]\nlabel = "W"')
    with pytest.raises(Invalid, match="No such file"):
        taxonomy.read(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b'[work]\nlabel = "\xff"')
    with pytest.raises(Invalid, match="utf-8"):
        taxonomy.read(tmp_path / "latin.toml")
