"""What counts as a secret, what does not, and that redacting is cheap and settles at once."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.errors import Invalid
from memory_platform.text.account_numbers import names_no_card
from memory_platform.text.redaction import MAXIMUM_DEPTH, redact, redact_json
from tests.core.timing import seconds

PASSWORD = "[redacted:password]"
TOKEN = "[redacted:token]"
CARD = "[redacted:card]"
BANK = "[redacted:bank_account]"
DATA = Path(__file__).resolve().parents[1] / "data"
GITHUB = "ghp_" + "a1B2" * 9
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/\nabc=\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


ESCAPES = {"n": "\n", "t": "\t", "xa0": "\u00a0", "\\": "\\"}


def rows(name):
    """The cells of a table's lines; `¦` parts a token: scanners of repositories shall not take it for a real one."""
    lines = (DATA / name).read_text().replace("¦", "").split("\n")
    return [[_unescaped(cell) for cell in line.split("\t")] for line in lines if line]


def _unescaped(cell):
    return re.sub(r"\\(n|t|xa0|\\)", lambda escape: ESCAPES[escape[1]], cell)


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
        ("EAAC" + "aB3" * 30, "[redacted:api_key]", ("api_key",)),
        ("secret_" + "aB3c" * 12, "[redacted:api_key]", ("api_key",)),
        ("tskey-auth-" + "kAbC1-" + "0a1b" * 5, "tskey-auth-kAbC1-" + "0a1b" * 5, ()),
        ("tskey-auth-" + "kAbCd1234-" + "0a1b" * 5, "[redacted:api_key]", ("api_key",)),
        ("pat-na1-" + "12345678-1234-1234-1234-123456789abc", "[redacted:api_key]", ("api_key",)),
        ("ABCDEFGHIJ1234" + ".atlasv1." + "x1" * 30, "[redacted:api_key]", ("api_key",)),
        (f"key:\n{PEM}\nend", "key:\n[redacted:private_key]\nend", ("private_key",)),
        (PEM.split("\n-----END", maxsplit=1)[0], "[redacted:private_key]", ("private_key",)),
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


@pytest.mark.parametrize(("text", "cleaned"), rows("secrets.tsv"))
def test_a_secret_is_found_however_it_is_written(text, cleaned):
    assert redact(text).text == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("my password bluewhale42", "my password [redacted:password]"),
        ("the wifi password bluewhale42 works again", "the wifi password [redacted:password] works again"),
        ("the wifi password bluewhale42 is by the door", "the wifi password [redacted:password] is by the door"),
        ("the wifi password, bluewhale42, is by the door", "the wifi password, [redacted:password], is by the door"),
        ("the wifi password (bluewhale42) works", "the wifi password ([redacted:password]) works"),
        ("the wifi password – bluewhale42", "the wifi password – [redacted:password]"),
        ("the wifi password is still bluewhale42", "the wifi password is still [redacted:password]"),
        ("the wifi password still is bluewhale42", "the wifi password still is [redacted:password]"),
        ("the wifi password, which is bluewhale42", "the wifi password, which is [redacted:password]"),
        ("login: mara pw bluewhale42", "login: mara pw [redacted:password]"),
        ("user mara / pass bluewhale42, then press return", "user mara / pass [redacted:password], then press return"),
        ("the aws secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE", "the aws secret [redacted:token]"),
        ("our API key bluewhale42abcdef and the old one", "our API key [redacted:token] and the old one"),
        (f"token {'0123456789abcdef' * 2}", "token [redacted:token]"),
    ],
)
def test_what_stands_beside_its_name_goes_where_it_looks_like_a_secret(text, cleaned):
    assert redact(text).text == cleaned


@pytest.mark.parametrize(
    "text",
    """I forgot my password again
the password policy says 12 characters
the password reset2024 campaign begins
a password SHA256 hash is stored
password v2 flow is live
token limit is 4096
token count 4096 was reached
token gpt2 models read
API key rotation is due on Friday
the key A4 on the piano sticks
secret santa is on the 12th
the secret ABC123 project ended
key takeaways from Q3
pass the salt
she passed with 95
pass B12 on the left
pass 2 of 3 failed
PIN code entry page
the pin on the map
reset the password to the default before shipping
boarding pass LH4821 is on the phone
forgot the password bob@example.com
the password SHA256.
a password 12-character.
token cl100k_base.
we closed password JIRA-4821.
the password OAuth2
the access token OAuth2.0
the pass B1234
the password, which is too short
the password is still valid
the password (SHA256) is hashed
a password – 12-character
the password rev3b""".splitlines(),
)
def test_a_word_beside_such_a_name_stays(text):
    assert redact(text).text == text


@pytest.mark.parametrize("text", [text for (text,) in rows("no_secrets.txt")])
def test_what_only_looks_like_a_secret_stays(text):
    found = redact(text)

    assert (found.text, found.kinds) == (text, ())


@pytest.mark.parametrize("length", [199, 1001, 5000])
def test_a_long_secret_goes_whole(length):
    value = ("x9" * length)[:length]

    assert redact(f"password={value}").text == "password=[redacted:password]"
    assert redact(f"token is {value}").text == "token is [redacted:token]"
    assert redact(f"https://u:{value[:200]}@host").text == "https://u:[redacted:connection_string]@host"


@pytest.mark.parametrize(
    ("table", "cleaned"),
    [
        ("user,password,role\nmara,sunshine,admin\nada,,guest\nben,1234,user",
         "user,password,role\nmara,[redacted:password],admin\nada,,guest\nben,[redacted:password],user"),
        ("login;hasło\nmara;zebra", "login;hasło\nmara;[redacted:password]"),
        ("login;pass\nmara;tulip", "login;pass\nmara;[redacted:password]"),
        ('"user","password"\r\n"mara","tu,lip"', '"user","password"\r\n"mara","[redacted:password]"'),
        ("name\tAPI key\nbilling\tab12cd34ef", "name\tAPI key\nbilling\t[redacted:token]"),
        ("| who | Passwort |\n|---|:-:|\n| Mara | zwei Tulpen |",
         "| who | Passwort |\n|---|:-:|\n| Mara | [redacted:password] |"),
        ("NAME  PASSWORD  AGE\nmara  tulip     3d", "NAME  PASSWORD  AGE\nmara  [redacted:password]     3d"),
        ("Our logins:\n\nuser,password\nmara,tulip\n\nBye, Mara",
         "Our logins:\n\nuser,password\nmara,[redacted:password]\n\nBye, Mara"),
        ("user, password\nben, Ab3!xx", "user, password\nben, [redacted:password]"),
        ("user,password\nmara,tulip\nada,lily,guest\nben,rose",
         "user,password\nmara,[redacted:password]\nada,lily,guest\nben,[redacted:password]"),
        ("user,password\nmara,tulip\nname,pass,age\nada,a1b2c3,7\n",
         "user,password\nmara,[redacted:password]\nname,pass,age\nada,[redacted:password],7\n"),
        ("name,sort code,account number\nMara,12-34-56,12345678\nAda,20-00-00,",
         f"name,sort code,account number\nMara,{BANK},{BANK}\nAda,20-00-00,"),
        ('"sortCode";"accountNumber"\r\n"123456";"1234 5678"', f'"sortCode";"accountNumber"\r\n"{BANK}";"{BANK}"'),
        ("Konto-Nr\tBLZ\tOrt\n0532013000\t370 400 44\t10115", f"Konto-Nr\tBLZ\tOrt\n{BANK}\t{BANK}\t10115"),
        ("| who | routing | account |\n|---|---|---|\n| Mara | 021000021 | 123456789 |",
         f"| who | routing | account |\n|---|---|---|\n| Mara | {BANK} | {BANK} |"),
        ("NAME  BSB      ACCOUNT NO\nmara  123-456  12345678", f"NAME  BSB      ACCOUNT NO\nmara  {BANK}  {BANK}"),
    ],
)  # fmt: skip
def test_a_cell_is_a_secret_where_the_heading_of_its_column_says_so(table, cleaned):
    assert redact(table).text == cleaned


@pytest.mark.parametrize(
    "table",
    [
        "Dear team, password\nplease reset it, thanks",
        "| Method | Password |\n|---|---|\n| LDAP | supported |\n| SAML | required |",
        "| setting | password |\n|---|---|\n| minimum length | 12 |",
        "token,count\nthe,512\nof,340",
        "pin,function\n1,GND\n12,VCC",
        "has_password,user\ntrue,mara",
        "suite,pass,fail\ncore,120,3",
        "key,value\ncolour,green",
        "heslo;význam\nodvaha;nebát se",
        "customer,account number,order\nAcme,12345678,87654321",
        "branch,sort code\nLund,12-34-56",
        "sort code,account\n12-34-56,current",
        "routing,account\nround-robin,12345678",
        "sort,code,account number\nasc,123456,12345678",
        ",".join(["sort code", "account", *map("column{}".format, range(200))]) + "\n" + ",".join(["123456"] * 202),
    ],
)
def test_a_table_about_secrets_stays(table):
    assert redact(table).text == table


def test_json_keeps_its_shape_and_loses_its_secrets():
    found = redact_json(
        {"password": "plain", "max_tokens": 5, "n": [None, True, f"t {GITHUB}"], "authToken": "abc12345"}
    )

    assert found.value == {
        "password": "[redacted:password]",
        "max_tokens": 5,
        "n": [None, True, "t [redacted:api_key]"],
        "authToken": "[redacted:token]",
    }
    assert found.kinds == ("api_key", "password", "token")


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ({"DB_PASS": "swordfish"}, {"DB_PASS": PASSWORD}),
        ({"PGPASSWORD": "letmein"}, {"PGPASSWORD": PASSWORD}),
        ({"otp": "482913", "cookies": "session=abcdef123"}, {"otp": PASSWORD, "cookies": f"session={TOKEN}"}),
        (
            ["login", "--password", "bluewhale", "--verbose", "yes"],
            ["login", "--password", PASSWORD, "--verbose", "yes"],
        ),
        (["--token", "abcd1234efgh", "-p", "8080"], ["--token", TOKEN, "-p", "8080"]),
        (["--no-password", "bluewhale"], ["--no-password", "bluewhale"]),
        ({"userPassword": "two words"}, {"userPassword": PASSWORD}),
        ({"password": ["hunter2", 12345678]}, {"password": [PASSWORD, PASSWORD]}),
        ({"passwords": {"old": "aa", "new": "bb"}}, {"passwords": {"old": PASSWORD, "new": PASSWORD}}),
        ({"password": 12345678}, {"password": PASSWORD}),
        ({"пароль": "Zebra77", "Lösenord": "Zebra77"}, {"пароль": PASSWORD, "Lösenord": PASSWORD}),
        ({"Passwort": "sommer", "motDePasse": "soleil"}, {"Passwort": PASSWORD, "motDePasse": PASSWORD}),
        ({"credentials": {"value": "swordfish"}}, {"credentials": {"value": TOKEN}}),
        ({"credentials": {"key": "abc", "user": "bob"}}, {"credentials": {"key": TOKEN, "user": "bob"}}),
        ({"credentials.value": "swordfish"}, {"credentials.value": TOKEN}),
        ({"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "DB_PASSWORD", "value": PASSWORD}),
        ({"user": "bob", "pass": "swordfish"}, {"user": "bob", "pass": PASSWORD}),
        ({"pin": "4821", "pinCode": 4821}, {"pin": PASSWORD, "pinCode": PASSWORD}),
        ({"api_key": "abc1", "clientSecret": "abc"}, {"api_key": TOKEN, "clientSecret": TOKEN}),
        ({"secret": "shh"}, {"secret": TOKEN}),
        ({"tokens": {"access_token": "abc"}}, {"tokens": {"access_token": TOKEN}}),
        ({"card": {"number": 4111111111111111, "cvv": 123}}, {"card": {"number": CARD, "cvv": CARD}}),
        ({"card_number": "4111.1111.1111.1111"}, {"card_number": CARD}),
        ({"sort_code": "12-34-56", "account_number": "12345678"}, {"sort_code": BANK, "account_number": BANK}),
        ({"routingNumber": 21000021, "accountNumber": 123456789}, {"routingNumber": BANK, "accountNumber": BANK}),
        (
            {"Konto-Nr": "0532013000", "BLZ": "370 400 44", "Ort": "10115"},
            {"Konto-Nr": BANK, "BLZ": BANK, "Ort": "10115"},
        ),
        ({"bank": {"bsb": "082-902", "acct": 1234}}, {"bank": {"bsb": BANK, "acct": BANK}}),
        (
            {"body": '{"sort_code": "12-34-56", "account_number": "12345678"}'},
            {"body": f'{{"sort_code": "{BANK}", "account_number": "{BANK}"}}'},
        ),
        ({"headers": {"Cookie": "sessionid=abc"}}, {"headers": {"Cookie": f"sessionid={TOKEN}"}}),
        ({"Authorization": "ApiKey abc123def"}, {"Authorization": f"ApiKey {TOKEN}"}),
        ({"body": '{"password":"hunter2"}'}, {"body": f'{{"password":"{PASSWORD}"}}'}),
    ],
)
def test_a_key_tells_what_its_value_is(value, cleaned):
    assert redact_json(value).value == cleaned


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 4096, "token_count": 12345678, "tokens_used": 123456, "token": 12345678},
        {"pass": 12, "fail": 3},
        {"hasło": "odwaga", "znaczenie": "Zebra77"},
        {"pass": "yes", "status": "pass", "passed": 12},
        {"has_password": "yes", "password_strength": "weak", "passwordPolicy": {"min": 8}},
        {"password": True},
        {"password": None, "secret": ""},
        {"password": {"type": "string", "minLength": 8}, "required": ["password"]},
        {"password": ["This field is required."]},
        {"errors": {"password": "must be longer", "pwd": "required"}},
        {"pin": 13, "mode": "OUTPUT", "pinned": True},
        {"order_id": "4111111111111111", "orderNumber": 4111111111111111, "id": 4111111111111111},
        {"tracking_id": 5555555555554444, "imei": "490154203237518", "ts": 1700000000000},
        {"tokens": ["the", "cat"], "token": "hello"},
        {"customer": "Acme", "account_number": "12345678", "order": 12345678},
        {"account_number": 12345678, "sort_code": None},
        {"sort_code": "12-34-56", "bank": "Monzo", "account": "current"},
        {"account": "12345678", "routing": "round-robin"},
        {"account": 12345678, "routing": 1},
        [{"sort_code": "12-34-56"}, {"account_number": "12345678"}],
        {"account_number": "12345678", "sort": "asc", "code": "123456", "sort_order": 123456},
        {"key": "value", "primary_key": "abc123def", "public_key": "abc123def456", "sort_key": "abc12345"},
        {"api_key": "OPENAI_API_KEY", "apiKeyId": "abc"},
        {"name": "color", "value": "#ff8800"},
        {"sessionId": "s-2024-05-01", "secret_santa": "Bob", "passport": "see safe", "monkey": "abc12345"},
        {"sha": "6e69040a1b2c3d4e5f60718293a4b5c6d7e8f901"},
        [[], {}, "", 0, 1.5, False, None],
    ],
)
def test_a_key_that_only_sounds_like_a_secret_leaves_its_value(value):
    assert redact_json(value).value == value
    assert redact_json(value).kinds == ()


def test_secrets_that_are_keys_stay_apart():
    found = redact_json({GITHUB: 1000, "ghp_" + "z9" * 20: 2000})

    assert found.value == {"[redacted:api_key]": 1000, "[redacted:api_key] 2": 2000}


def test_json_is_redacted_as_deep_as_it_may_be_and_no_deeper():
    deepest = "my PIN is 4821"
    for _ in range(MAXIMUM_DEPTH):
        deepest = [deepest]

    assert redact_json(deepest).kinds == ("password",)
    with pytest.raises(Invalid, match="64 levels"):
        redact_json({"a": deepest})


FRAGMENTS = st.sampled_from(
    [
        GITHUB, JWT, PEM, "password is ", "password=", "token: ", "hunter2", '"', "'", "4111 1111 1111 1111",
        "078-05-1120", " ", "\n", "[", "(", "as the password", "use ", "the ", "admin / ", "Login: ", "Cookie: ",
        "sid=", "-", ".", ":", "@", "postgres://u:p@h", "DE89370400440532013000", "-----BEGIN PRIVATE KEY-----",
        "bearer ",
        "abcd1234efgh5678", "[redacted:card]", "[redacted:password]", "is", "a", "7", "\\", ", ", "curl -u a:", "pin ",
        "account 12345678 ", "sort code 12-34-56 ", "dapi" + "a1" * 16, "<password>", "</", "|", "mot de passe",
        "12-34-56", "12345678", "value=", "user,password\n", "mara,tulip\n", "|", "  ", "\t", ",", ";",
        "sort code,account\n", "12-34-56,12345678\n",
    ]
)  # fmt: skip


@given(st.lists(FRAGMENTS | st.text(max_size=5), max_size=12).map("".join))
def test_redacting_twice_changes_nothing(text):
    once = redact(text)

    assert redact(once.text).text == once.text


NAMES = st.sampled_from(
    [
        "password",
        "pass",
        "user",
        "token",
        "value",
        "name",
        "key",
        "pin",
        "cookie",
        "id",
        "a",
        "",
        "sort_code",
        "account",
    ]
)


@given(st.recursive(st.none() | st.booleans() | st.integers() | FRAGMENTS, lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(FRAGMENTS | NAMES, inner, max_size=3), max_leaves=8))  # fmt: skip
def test_redacting_json_twice_changes_nothing(value):
    once = redact_json(value)

    assert redact_json(once.value).value == once.value


MARKED = [
    (GITHUB, GITHUB),
    ("sk-" + "Zq" * 12, "ZqZqZq"),
    (JWT, "eyJzdWIi"),
    (PEM, "MIIEow"),
    ("https://hooks.slack.com/services/" + "T024BE7LD/B01ABCDE/XyZ0123456789", "XyZ0123"),
    ("https://discord.com/api/webhooks/123456789/" + "Ab-1" * 12, "Ab-1Ab"),
    ("https://a.blob.core.windows.net/f?sv=1&sig=" + "Zk3%2B" * 6, "Zk3"),
    ("postgres://app:s3/cr3t@db", "s3/cr3t"),
    ("Authorization: Basic Ym9iOmxldG1laW4=", "Ym9i"),
    ("Cookie: sessionid=38afes7a8", "38afes7a8"),
    ("curl -u bob:Zebra77", "Zebra77"),
    ("password is Zebra77", "Zebra77"),
    ("password='Zebra 77'", "Zebra 77"),
    ('{\\"password\\": \\"Zebra77\\"}', "Zebra77"),
    ("Das Passwort lautet Zebra77", "Zebra77"),
    ("le mot de passe est Zebra77", "Zebra77"),
    ("la contraseña es Zebra77", "Zebra77"),
    ("пароль: Zebra77", "Zebra77"),
    ("hasło to Zebra77", "Zebra77"),
    ("use Zebra77 as the password", "Zebra77"),
    ("admin / Zebra77", "Zebra77"),
    ("my pin is 4821", "4821"),
    ("4111 1111 1111 1111", "1111 1111"),
    ("4111\u00a01111.1111\n1111", "1111"),
    ("4111111111111111", "4111"),
    ("de89 3704 0044 0532 0130 00", "3704"),
    ("sort code 12-34-56, account 87654321", "87654321"),
    ("078-05-1120", "078-05"),
    ("ssn 078051120", "078051120"),
]
EDGES = [" ", "\n", "\t", "(", "“", ", ", ". ", "! ", "é", "ß", "я", "中", "。", "！", "»", "…", "—", "🔑", ";", "|"]
SURROUNDINGS = st.text(st.characters(exclude_characters="'\"`\\=:@/<>[]#+0123456789"), max_size=20).filter(
    lambda text: not names_no_card(f"{text} ")
)
"""Hypothesis tries words of the code too: behind "reference", a number is none of a card."""


@pytest.mark.parametrize(("text", "secret"), MARKED)
@given(before=SURROUNDINGS, opening=st.sampled_from(EDGES), closing=st.sampled_from(EDGES), after=SURROUNDINGS)
def test_a_secret_is_found_wherever_it_stands(text, secret, before, opening, closing, after):
    assert secret not in redact(f"{before}{opening}{text}{closing}{after}").text
    assert secret not in redact(f"{text}{closing}{after}").text
    assert secret not in redact(f"{before}{opening}{text}").text


@pytest.mark.parametrize("announced", ["PW|", "password: ", "PW=", "пароль: ", "pin: ", "{'password': '"])
@pytest.mark.parametrize("number", ["4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"])
def test_a_number_in_groups_is_taken_whole_though_it_is_called_a_password(announced, number):
    assert not set(number.split()) & set(re.split(r"\W+", redact(f"{announced}{number}").text))


@pytest.mark.parametrize("number", ["4111111111111111", "DE89370400440532013000"])
@pytest.mark.parametrize("announced", ["password: ", "PW=", "password is "])
def test_a_password_is_taken_whole_though_it_begins_with_a_number(announced, number):
    text = redact(f"{announced}{number}!Zebra77").text

    assert "Zebra77" not in text
    assert number not in text


HOSTILE = [
    "eyJ-", "eyJaaaaaaaa.", "a://a:", "sk-", "sk-a-", "password ", "password is ", "password for ", "password=a.", "4 ",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nA: b", "Private-Lines:", "4111 ", "4111\n", "DE89 ",
    "DE89AAAA", "token:'", "bearer ", "Bearer a", "123-45-", "A", "ghp_", "\n ", "a.b@", "pin ", "key-", "://", "SG.",
    "MaAAAAAAAAAAAAAAAAAAAAAA.", "cookie:", "cookie: a=b ", "-u a:", "curl -u ", "mysql -p", "login a ", "auth=('a',",
    "password='", 'password="', 'password=\\"', "password=“", "password: \\\\", "as the password ",
    "a as the password ", "set the password ", "with password a ", "password\n", "<password>", "x('password',",
    "--password ", "admin / ",
    "login: admin / ", "a@b.cd / ", "seed phrase abc ", "abc ", "sort code 12-34-56 ", "account 12345678 ",
    "password: ", "x-api-", "-H x-a-", "password is still ", "password, ",
    "password (a) ", "password a, it's ", "password , value", "user pass: a", "awskey", "awspwpw", "iamkey",
    "_authToken", "key=", "1Q~",
    "user,password\n", "a,password\nb\n", "pass1,", "password\t", "password  ", '"password,', '""password,\n',
    "|token|\n", "user,password\na,b,c\n", "a,b\n", "sort code,account\n", "12-34-56,12345678\n", "blz,konto,",
    "sort code,account\n1,2,3\n", 'sort code,account\n"', '"sort code","', '"""blz"",konto,', "blz|konto\n|\n",
    "aba  account  ",
    "пароль ", "мой пароль a ", "hasło to ", "hasło a a a ", "şifrem a1 ", "密码是", "密码:a",
    "パスワードはa", "비번 a1", "parola: ",
    "a1b2c3d4" * 4 + "-us", "=", "'", '"', "|", "-a", "\\",
    # What bares the edge of the next one when it is taken out.
    "AIza" + "a1" * 18, "shpat_" + "a1" * 16, "dapi" + "a1" * 16, "eyJaaaaaaaa.aaaaaaaa.", "Login: admin / swordfish",
    "password=hunter2", "4111111111111111", "078-05-1120", "DE89370400440532013000", GITHUB,
]  # fmt: skip


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_length_whatever_the_text(piece):
    short, long = (piece * (size // len(piece)) for size in (2_000, 64_000))
    redact(short)

    # Thirty-two times the text: a square would take 1,024 times as long. A busy machine is asked again, more patiently.
    assert any(
        seconds(redact, long, tries=tries) < 100 * max(seconds(redact, short, tries=tries), 0.000_5) for tries in (1, 3)
    )
