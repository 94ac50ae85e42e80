"""What a password is called, and what says that it "is" something, in languages beside those of `secret_words`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class PasswordWords:
    """`name` and `states` are patterns of the words as people write them, endings and lost accents included.

    stems: in lower case, composed; what holds the name holds one of them.
    alone: the forms of the name that state a value without a verb; empty where a verb or a sign is needed.
    attached: what is written onto a value that no blank ends: a copula or a particle; None where blanks end it.
    """

    stems: tuple[str, ...]
    name: str
    states: str
    alone: str = ""
    attached: str | None = None


# Accents stand in groups, not in classes: they may be characters of their own.
# What states alone is a nominative. Where the accusative looks alike, a possessive or a missing particle tells.
LANGUAGES: Final[Mapping[str, PasswordWords]] = {
    "ar": PasswordWords(("كلم",), "كلم[ةه] (?:ال)?(?:مرور|سر)", "هي|هو"),
    "cs": PasswordWords(("heslo",), "heslo", "je|bylo|bude|zní"),
    "da": PasswordWords(("adgangskode", "kodeord"), "adgangskoden?|kodeord(?:et)?", "er|var|bliver|lyder"),
    "el": PasswordWords(
        ("κωδικ", "συνθηματικ"), "κωδικ(?:ό|ο)ς? (?:πρόσβασης|προσβασης)|συνθηματικ(?:ό|ο)", "είναι|ειναι|ήταν"
    ),
    "fi": PasswordWords(("salasana",), "salasana(?:ni|si|nsa|mme|nne)?", "on|oli|kuuluu"),
    "he": PasswordWords(("סיסמ",), "סיסמ(?:ה|א|תי|תנו)", "היא|הוא|זה|זו", alone="(?<!את )(?:הסיסמ[הא]|סיסמת(?:י|נו))"),
    "hu": PasswordWords(
        ("jelsz",), "jelsz(?:ó|o|avam|avad|ava|avunk)", "az|a|ez|lett|volt", alone="jelsz(?:ó|avam|avad|ava|avunk)"
    ),
    "ja": PasswordWords(
        ("パスワード", "合言葉"), "パスワード|合言葉", "は|が", attached="です|でした|だよ?(?!\\w)|に(?:なり|しま|した)"
    ),
    "ko": PasswordWords(
        ("비밀번호", "비번", "패스워드", "암호"),
        "비밀번호|비번|패스워드|암호",
        "는|은|가",
        alone="비밀번호|비번|패스워드",
        attached="입니다|이에요|예요|이야|야|이다|임(?!\\w)",
    ),
    "no": PasswordWords(("passord",), "passord(?:et)?", "er|var|blir|lyder"),
    "pl": PasswordWords(("hasło", "haslo"), "has[łl]o", "to|jest|brzmi|było|bylo|będzie|bedzie"),
    "ro": PasswordWords(("parol",), "parol(?:a|ă)", "este|e|era|va fi"),
    "ru": PasswordWords(
        ("парол",), "пароль", "это|такой|был|будет|теперь", alone="(?:мой|твой|наш|ваш|новый|его|её|ее|их) пароль"
    ),
    "sv": PasswordWords(("lösenord", "losenord"), "l(?:ö|o)senord(?:et)?", "är|ar|var|blir|lyder"),
    "tr": PasswordWords(
        ("şifre", "sifre", "parola"),
        "(?:ş|s)ifre(?:m|n|si|miz|niz)?|parola(?:m|n|s[ıi]|m[ıi]z|n[ıi]z)?",
        "şu|şudur|şöyle",
        alone="(?:ş|s)ifre(?:m|si|miz)|parola(?:m|s[ıi]|m[ıi]z)",
    ),
    "uk": PasswordWords(
        ("парол",), "пароль", "це|такий|був|буде|тепер", alone="(?:мій|твій|наш|ваш|новий|його|її|їх) пароль"
    ),
    "zh": PasswordWords(
        ("密码", "密碼", "口令"), "密码|密碼|口令", "是|为|為|改成了?|设为|設為|叫", attached="[哦呀啊喔啦吗吧嘛]"
    ),
}  # fmt: skip
"""By ISO 639-1 code."""

NAMES: Final = "|".join(words.name for words in LANGUAGES.values())
STEMS: Final = tuple(dict.fromkeys(stem for words in LANGUAGES.values() for stem in words.stems))
