"""What the rules of detect-secrets know beside our own: keys of services that state no prefix of their own.

The package (Bridgecrew's fork, pinned) scans files; here only the patterns of some of its detectors are used: nothing
of it reads a file or asks a service whether a key is alive. Left out are the two entropy detectors, which take hashes
for secrets, those whose secrets our own rules find, and the keyword and Artifactory detectors, whose time grows with
the square of a hostile text or with a factor of thousands.
"""

import re
from collections.abc import Iterator
from typing import Final

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from memory_platform.text.secret import Secret

DETECTORS: Final[tuple[type[RegexBasedDetector], ...]] = (
    AWSKeyDetector,
    CloudantDetector,
    IbmCloudIamDetector,
    IbmCosHmacDetector,
    MailchimpDetector,
    NpmDetector,
    SoftlayerDetector,
    SquareOAuthDetector,
    TwilioKeyDetector,
)
# Blanks match in three places of the package's own, one behind another: a run of them takes cubic time.
_THEIR_ASSIGNMENT: Final = "(?: *)(?:=|:|:=|=>| +|::)(?: *)"
_ASSIGNMENT: Final = "(?: *+(?:=>|=|::|:=|:) *+| ++)"
_PATTERNS: Final[tuple[re.Pattern[str], ...]] = tuple(
    re.compile(pattern.pattern.replace(_THEIR_ASSIGNMENT, _ASSIGNMENT), pattern.flags)
    for detector in DETECTORS
    for pattern in detector().denylist
)
# The shortest value that one of the detectors looks for; hardly any chat holds a word as long.
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9/+_-]{20}")


def service_keys(text: str) -> Iterator[Secret]:
    """Keys of AWS, IBM, Mailchimp, npm, Square, Twilio and others that stand alone or behind their name."""
    if not _LONG_RUN.search(text):
        return
    found = [_secret(match) for pattern in _PATTERNS for match in pattern.finditer(text) if _is_alone(match)]
    yield from sorted(found, key=lambda secret: (secret.start, -secret.end))


def _group(match: re.Match[str]) -> int:
    """The group that holds the value alone, or the whole match where the detector has none."""
    return match.lastindex or 0


def _secret(match: re.Match[str]) -> Secret:
    return Secret(match.start(_group(match)), match.end(_group(match)), "api_key")


def _is_alone(match: re.Match[str]) -> bool:
    """Whether the value is no part of a longer run, such as an encoded picture, and no word of letters."""
    before = match.string[match.start(_group(match)) - 1 : match.start(_group(match))]
    after = match.string[match.end(_group(match)) : match.end(_group(match)) + 1]
    is_cut = any(edge.isascii() and edge.isalnum() for edge in (before, after) if edge)
    return not is_cut and any(map(str.isdigit, match[_group(match)]))
