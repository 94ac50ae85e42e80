"""What counts as a secret, what does not, and that redacting is cheap and settles at once."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text.redaction import redact, redact_json

GITHUB = "ghp_" + "a1B2" * 9
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/\nabc=\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


@pytest.mark.parametrize(
    ("text", "cleaned", "kinds"),
    [
        (f"use {GITHUB} today", "use [redacted:api_key] today", ("api_key",)),
        ("sk-proj-" + "a1b2" * 8, "[redacted:api_key]", ("api_key",)),
        ("sk-ant-api03-" + "a1b2" * 8, "[redacted:api_key]", ("api_key",)),
        ("AKIAIOSFODNN7EXAMPLE.", "[redacted:api_key].", ("api_key",)),
        ("xoxb-123456789012-abcdef", "[redacted:api_key]", ("api_key",)),
        ("AIza" + "Sy1-_" * 7, "[redacted:api_key]", ("api_key",)),
        ("sk_live_" + "4eC39HqLyjWDarjt", "[redacted:api_key]", ("api_key",)),
        (f"key:\n{PEM}\nend", "key:\n[redacted:private_key]\nend", ("private_key",)),
        (PEM.split("-----END", maxsplit=1)[0], "[redacted:private_key]", ("private_key",)),
        (f"Authorization: Bearer {JWT}", "Authorization: Bearer [redacted:jwt]", ("jwt",)),
        (
            "curl -H 'Authorization: Bearer abcd1234efgh5678'",
            "curl -H 'Authorization: Bearer [redacted:token]'",
            ("token",),
        ),
        (
            "postgres://app:s3cr3t@db:5432/x",
            "postgres://app:[redacted:connection_string]@db:5432/x",
            ("connection_string",),
        ),
        ("redis://:pa@ss@cache:6379", "redis://:[redacted:connection_string]@cache:6379", ("connection_string",)),
        ("my password is hunter2.", "my password is [redacted:password].", ("password",)),
        ("The wifi password is swordfish", "The wifi password is [redacted:password]", ("password",)),
        ("password for the router is Tr0ub4dor&3", "password for the router is [redacted:password]", ("password",)),
        ("Password: correcthorse", "Password: [redacted:password]", ("password",)),
        ('DB_PASSWORD="two words"', 'DB_PASSWORD="[redacted:password]"', ("password",)),
        ('{"password": "hunter2"}', '{"password": "[redacted:password]"}', ("password",)),
        ("export API_KEY=9f8e7d6c5b4a", "export API_KEY=[redacted:token]", ("token",)),
        ("client_secret: 'abc123def456'", "client_secret: '[redacted:token]'", ("token",)),
        ("my PIN is 4821", "my PIN is [redacted:password]", ("password",)),
        ("card 4111 1111 1111 1111 ok", "card [redacted:card] ok", ("card",)),
        ("5555555555554444", "[redacted:card]", ("card",)),
        ("amex 3782-822463-10005", "amex [redacted:card]", ("card",)),
        ("pay to DE89 3704 0044 0532 0130 00 THIS week", "pay to [redacted:iban] THIS week", ("iban",)),
        ("GB82WEST12345698765432", "[redacted:iban]", ("iban",)),
        ("ssn 078-05-1120", "ssn [redacted:ssn]", ("ssn",)),
        ("my social security number is 078051120", "my social security number is [redacted:ssn]", ("ssn",)),
    ],
)
def test_a_secret_is_replaced_by_its_kind(text, cleaned, kinds):
    found = redact(text)

    assert (found.text, found.kinds) == (cleaned, kinds)


@pytest.mark.parametrize(
    "text",
    [
        "commit 6e69040a1b2c3d4e5f60718293a4b5c6d7e8f901",
        "id 0192f0c1-7b3e-7cc3-98c4-dc0c0c07398f",
        "call +1 415-555-2671 or 030 12345678, 415 555 2671",
        "order 4111111111111111 was shipped",
        "tracking number: 5555555555554444",
        "order ID 123-4567890-1234567",
        "4111 1111 1111 1112 fails the checksum",
        "the snowflake 1541815603606036480",
        "timestamp 1700000000000 and 20231105123045",
        "the password is wrong",
        "my password is too short",
        "Passwords must have 12 characters; password: must be changed",
        "the token is expired",
        "token: a unit of text",
        "max_tokens=4096, token_count: 12345678",
        "password=$DB_PASSWORD and api_key=os.environ['API_KEY']",
        "password = form['password']; hashed_password = generate_hash(password)",
        "User(name=name, password=password)",
        'if password == "":',
        "password = user.password_hash",
        "Password: [Your Password]",
        "https://example.org:8080/path?x=y@z",
        "https://example.org/a/b:c@d",
        "the basic understanding of it",
        "sk-learn is a library and so is task-management-for-beginners-everywhere",
        "DE89 is a road, GB82 is another",
        "version 123-45-678 of 2024-01-02",
        "the secret of success is practice",
        "the key is under the mat",
    ],
)
def test_what_only_looks_like_a_secret_stays(text):
    found = redact(text)

    assert (found.text, found.kinds) == (text, ())


def test_json_keeps_its_shape_and_loses_its_secrets():
    found = redact_json(
        {"password": "plain", "max_tokens": 5, "n": [None, True, f"t {GITHUB}"], "authToken": "abc12345"}
    )

    assert found.value == {
        "password": "[redacted:password]",
        "max_tokens": 5,
        "n": [None, True, "t [redacted:api_key]"],
        "authToken": "[redacted:password]",
    }
    assert found.kinds == ("api_key", "password")


def test_secrets_that_are_keys_stay_apart():
    found = redact_json({GITHUB: 1, "ghp_" + "z9" * 20: 2})

    assert found.value == {"[redacted:api_key]": 1, "[redacted:api_key] 2": 2}


FRAGMENTS = st.sampled_from(
    [
        GITHUB, JWT, PEM, "password is ", "password=", "token: ", "hunter2", '"', "'", "4111 1111 1111 1111",
        "078-05-1120", " ", "\n", "[", "(",
        "-", ".", ":", "@", "postgres://u:p@h", "DE89370400440532013000", "-----BEGIN PRIVATE KEY-----", "bearer ",
        "abcd1234efgh5678", "[redacted:card]", "is", "a", "7",
    ]
)  # fmt: skip


@given(st.lists(FRAGMENTS | st.text(max_size=5), max_size=12).map("".join))
def test_redacting_twice_changes_nothing(text):
    once = redact(text)

    assert redact(once.text).text == once.text


@given(st.recursive(st.none() | st.booleans() | st.integers() | FRAGMENTS, lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(FRAGMENTS, inner, max_size=3), max_leaves=8))  # fmt: skip
def test_redacting_json_twice_changes_nothing(value):
    once = redact_json(value)

    assert redact_json(once.value).value == once.value


@pytest.mark.parametrize(
    "piece",
    ["eyJ-", "eyJaaaaaaaa.", "a://a:", "sk-", "password ", "password is ", "password for ", "password=a.", "4 ",
     "-----BEGIN PRIVATE KEY-----", "4111 ", "DE89 ", "DE89AAAA", "token:'", "bearer ", "Bearer a", "123-45-", "A",
     "ghp_", "\n ", "a.b@", "pin ", "key-", "://"],
)  # fmt: skip
def test_time_grows_with_length_whatever_the_text(piece):
    text = piece * (200_000 // len(piece))

    started = time.process_time()
    redact(text)

    assert time.process_time() - started < 3
