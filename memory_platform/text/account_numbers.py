"""Numbers that move money or name a person: cards, IBANs, bank accounts, US social security numbers."""

import re
from collections.abc import Iterator
from typing import Final

from memory_platform.text.secret import Secret

_BLANK: Final = r"[ \t\u00a0\u2007\u2009\u202f]"
_GAP: Final = rf"(?:(?:{_BLANK}|[.-]){{1,3}}|{_BLANK}{{0,2}}\r?\n{_BLANK}{{0,4}})"

_SSN: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][.,-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![A-Za-z0-9_])(?!-\d)",
    re.ASCII,
)
_NAMED_SSN: Final = re.compile(
    r"(?<![A-Za-z])(?:ssn|social security(?: number| no\.?)?)(?![A-Za-z])\W{0,3}(?:is\s|was\s)?\W{0,2}"
    r"(?P<value>\d{3}[ -]?\d{2}[ -]?\d{4})(?![A-Za-z0-9])",
    re.IGNORECASE,
)

_CARD: Final = re.compile(
    rf"(?<![A-Za-z0-9_+#])(?:(?<![A-Za-z0-9][./@-])\d{{13,19}}"
    rf"|(?<![0-9][.,-])(?P<grouped>\d{{4}}{_GAP}(?:\d{{4}}{_GAP}\d{{4}}{_GAP}\d{{1,7}}|\d{{6}}{_GAP}\d{{4,5}})))"
    r"(?![A-Za-z0-9_])(?![.,-]\d)"
)
_CARD_BRAND: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|65\d\d|64[4-9]\d|35(?:2[89]|[3-8]\d))\d{12}|62\d{14,17}|3(?:0[0-5]|[689]\d)\d{11}"
)
_CARD_WORD: Final = re.compile(r"card|visa|master|amex|karte|carte|tarjeta|carta", re.IGNORECASE)
_NO_CARD: Final = re.compile(
    r"(?:order|invoice|tracking|ticket|shipment|transaction|reference|parcel|imei(?:sv)?|isbn|ean|gtin|upc|serial|barcode|sku"
    r"|bestell(?:ung|nummer)|rechnung(?:snummer)?|sendung(?:snummer)?|commande|facture|colis|pedido|factura|env[ií]o|timestamp)"
    r"\W{0,3}(?:id|no|number|nr|num[ée]ro|n[º°o])?\W{0,4}(?:is\s|ist\s|est\s|es\s)?$",
    re.IGNORECASE,
)
_BEFORE: Final = 40
_CODE: Final = re.compile(
    r"(?<![A-Za-z])(?:cvv2?|cvc2?|security code|card code)(?:\s(?:is|was)\s|\s?[:=]\s?|\s)"
    r"(?P<value>\d{3,4})(?![A-Za-z0-9])",
    re.IGNORECASE,
)

_IBAN_HEAD: Final = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{2}}\d{{2}}(?=(?:{_GAP})?[A-Za-z0-9]{{4}})", re.ASCII)
_IBAN_GAP: Final = re.compile(_GAP)
# Lengths of the SWIFT IBAN registry, for the countries that issue them.
_IBAN_LENGTH: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH CR HR LI LV", 22: "BG BH DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU", 31: "MT SC", 32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
_IBAN_DIGITS: Final = 10
"""Every country's number has as many; words that happen to have the right length have not."""

_BANK: Final = (
    r"(?<![A-Za-z])(?:sort[ _-]?code|s/c|routing(?:[ _-]?(?:number|no\.?))?|aba|blz|bankleitzahl|bsb)\W{0,3}"
    r"(?:is\s|ist\s)?\W{0,2}"
    r"(?P<bank>\d{2}[ -]?\d{2}[ -]?\d{2}|\d{3}[ -]?\d{3}(?:[ -]?\d{2,3})?)(?!\d)"
)
_ACCOUNT_DIGITS: Final = r"\d(?:[ -]?\d){5,16}"
_ACCOUNT: Final = rf"(?P<account>{_ACCOUNT_DIGITS})(?!\d)"
_ACCOUNT_NAME: Final = (
    r"(?<![A-Za-z])(?:account|acct?|a/c|konto(?:nummer|nr)?)\.?(?:[ _-]?(?:number|no|num|nr)\.?)?\W{0,3}"
    r"(?:is\s|ist\s)?\W{0,2}"
)
_BETWEEN: Final = r"[^\d\n]{0,30}\n?[^\d\n]{0,30}"
_BANK_FIRST: Final = re.compile(rf"{_BANK}{_BETWEEN}{_ACCOUNT}", re.IGNORECASE)
_ACCOUNT_FIRST: Final = re.compile(rf"{_ACCOUNT_NAME}{_ACCOUNT}{_BETWEEN}{_BANK}", re.IGNORECASE)
_BANK_HINT: Final = re.compile(r"sort|s/c|routing|\baba\b|blz|bankleitzahl|bsb", re.IGNORECASE)


def social_security_numbers(text: str) -> Iterator[Secret]:
    """US numbers in their written form, and any nine digits that a text calls one."""
    if "-" in text:
        for match in _SSN.finditer(text):
            yield Secret(match.start(), match.end(), "ssn")


def named_social_security_numbers(text: str) -> Iterator[Secret]:
    """Nine digits, parted or not, that a text calls a social security number."""
    for match in _NAMED_SSN.finditer(text):
        yield Secret(match.start("value"), match.end("value"), "ssn")


def cards(text: str) -> Iterator[Secret]:
    """Card numbers of a known brand whose check digit is right, and the security code beside one."""
    found = [Secret(match.start(), match.end(), "card") for match in _CARD.finditer(text) if _is_card(match)]
    found += [Secret(match.start("value"), match.end("value"), "card") for match in _CODE.finditer(text)]
    yield from sorted(found, key=lambda secret: secret.start)


def is_card_number(digits: str) -> bool:
    """Whether `digits` (0-9 only) have the length and prefix of a brand and a right Luhn check digit."""
    return bool(_CARD_BRAND.fullmatch(digits)) and _passes_luhn(digits)


def is_account_number(value: str) -> bool:
    """Whether `value` may be the number of an account, or of its bank: 6 to 17 digits, parted or not."""
    return bool(re.fullmatch(_ACCOUNT_DIGITS, value))


def names_no_card(name: str) -> bool:
    """Whether what `name` ends with counts orders, parcels or devices, whose numbers pass for cards."""
    return bool(_NO_CARD.search(name))


def _is_card(match: re.Match[str]) -> bool:
    digits = "".join(str(int(character)) for character in match[0] if character.isdecimal())
    if not is_card_number(digits):
        return False
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    # A column of numbers is no card unless it is called one.
    is_column = match["grouped"] is not None and match[0].count("\n") > 1
    return not names_no_card(before) and (not is_column or bool(_CARD_WORD.search(before)))


def _passes_luhn(digits: str) -> bool:
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def ibans(text: str) -> Iterator[Secret]:
    """International account numbers of their country's length with right check digits, however they are parted."""
    for match in _IBAN_HEAD.finditer(text):
        length = _IBAN_LENGTH.get(match[0][:2].upper())
        end = _iban_end(text, match.start(), length) if length else None
        if end is not None and _passes_mod_97("".join(filter(str.isalnum, text[match.start() : end])).upper()):
            yield Secret(match.start(), end, "iban")


def _iban_end(text: str, start: int, length: int) -> int | None:
    """Where `length` ASCII letters and digits end, enough of them digits, if no further one follows at once."""
    position, taken, digits = start, 0, 0
    while taken < length and position < len(text):
        character = text[position]
        if character.isascii() and character.isalnum():
            taken, digits, position = taken + 1, digits + character.isdigit(), position + 1
        elif gap := _IBAN_GAP.match(text, position):
            position = gap.end()
        else:
            return None
    follows = text[position : position + 1]
    is_whole = taken == length and not (follows.isascii() and follows.isalnum())
    return position if is_whole and digits >= _IBAN_DIGITS else None


def _passes_mod_97(iban: str) -> bool:
    """ISO 13616: the first four characters moved behind, letters as 10 to 35, remainder 1."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def bank_accounts(text: str) -> Iterator[Secret]:
    """An account number beside the code of its bank; the code alone is public."""
    if _BANK_HINT.search(text):
        matches = [*_BANK_FIRST.finditer(text), *_ACCOUNT_FIRST.finditer(text)]
        found = [Secret(*match.span(part), "bank_account") for match in matches for part in ("bank", "account")]
        yield from sorted(found, key=lambda secret: secret.start)
