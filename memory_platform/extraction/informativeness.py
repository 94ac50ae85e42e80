"""How much a sentence tells that is worth knowing later: a weighted count of what facts have and chatter has not.

The weights are round numbers for general features of English conversation; bench/extraction.py prints the trade-off.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Chatter(StrEnum):
    """Why a sentence tells nothing; stable codes of Dropped.reason."""

    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    WISH = "wish"
    COMPLIMENT = "compliment"
    REACTION = "reaction"
    INVITATION = "invitation"


_QUESTION: Final = re.compile(
    r"\?[\s\"')!]*\Z|\A(?:what|who|where|when|why|how|which|do|does|did|are|is|was|were|have you|has|had you|can|could|would|will"
    r"|should|any|got any|anything|wanna|ever)\b(?!.*[.!]\Z).{0,200}\?|\A(?:how about|what about)\b",
    re.IGNORECASE,
)
_CHATTER: Final = (
    (
        Chatter.GREETING,
        re.compile(
            r"\A(?:good|great|nice|lovely) (?:to (?:see|hear|talk|chat|catch)|talking|chatting|catching|hearing)|\Along time no\b"
            r"|\A(?:see|talk|catch|speak) (?:to |with )?(?:ya|you|u)\b.{0,40}\Z|\Abye\b|\Atake care|\Auntil next time|\Atill next time"
            r"|\Ahope (?:you|all|everything|your)\b.{0,60}\Z|\Awhat'?s (?:up|new)\b|\Ahow(?:'s| is| are| have)\b|\Alater\b"
            r"|\A(?:have|enjoy) (?:a|an|your|the) (?:\w+ ){0,3}(?:day|night|time|weekend|trip|evening|week|one|rest)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Chatter.THANKS,
        re.compile(
            r"\A(?:thanks?|thank you|thx|cheers)\b|\A(?:i )?(?:really |truly |so )?appreciate (?:it|you|your|that|the (?:support|help|kind))"
            r"|\A(?:your|those) (?:\w+ ){0,3}(?:words?|support|help|encouragement|advice)\b.{0,40}\b(?:means?|meant|helps?|is|are|has been|mean)\b"
            r"|\A(?:it|that) (?:really )?means? (?:a lot|so much|the world)|\Ayou'?re welcome|\Ano (?:problem|worries|prob)\b"
            r"|\A(?:always|i'm(?: always)?|i am(?: always)?) (?:here|around) (?:for you|to (?:help|support|listen))|\Aanytime\b",
            re.IGNORECASE,
        ),
    ),
    (
        Chatter.WISH,
        re.compile(
            r"\Agood luck|\Abest of luck|\Awish(?:ing)? (?:you|u)\b|\Akeep (?:it|on|up|going|pushing|at|me|in touch|shining|doing|being|your)\b"
            r"|\A(?:you(?:'ve| have) )?(?:got|can do) this\b|\Ayou got (?:this|it)\b|\Adon'?t (?:give up|worry|quit|forget to)\b|\Ahang in there|\Ago for it|\Ago \w+!?\Z"
            r"|\Acan'?t wait to (?:see|hear)\b|\Alooking forward to (?:hearing|seeing)\b|\Alet me know\b|\Alemme know\b|\Ahope (?:it|that|this|they|he|she)\b"
            r"|\Ai(?:'ll| will) (?:keep you (?:posted|updated)|let you know|support you|be (?:there|here) for you|cheer)|\Ai (?:know|bet|believe|hope) you(?:'ll| will|'re| can|r)\b"
            r"|\Ai believe in you|\Arooting for you|\Ai'?m (?:here|rooting|cheering)\b|\Astay (?:strong|positive|safe)\b|\Arock on",
            re.IGNORECASE,
        ),
    ),
    (
        Chatter.COMPLIMENT,
        re.compile(
            r"\A(?:i'?m |i am )?(?:so |really |super |very )?(?:proud|glad|happy|stoked|excited|pleased|thrilled|impressed|sorry|amazed|inspired|jealous) "
            r"(?:of|for|by|at|with|to (?:hear|see|know)|you|about|that|your|it'?s|to have you|i could) ?(?:you|your|that|it|this)?\b"
            r"|\A(?:that|this|it|what|those|these|they|your|you|the \w+)\b.{0,25}\b(?:sounds?|looks?|seems?|must (?:be|have been|feel))\b"
            r"|\A(?:sounds?|looks?|seems?) (?:like|so|great|good|amazing|awesome|really|fun|delicious|nice|wonderful|fantastic|cool|lovely|yummy|tasty|interesting|tough|perfect|incredible|super|pretty|very|beautiful)\b"
            r"|\A(?:that|this|it)(?:'s| is| was|s)(?: \w+){0,3} (?:great|awesome|amazing|cool|wonderful|fantastic|good|nice|sweet|lovely|incredible|impressive|inspiring|beautiful|"
            r"adorable|cute|gorgeous|stunning|brilliant|fun|exciting|interesting|perfect|tough|hard|rough|sad|awful|terrible|true|right|fair|crazy|wild|funny|hilarious|powerful|important)\b[^.]{0,60}\Z"
            r"|\A(?:you(?:'re| are|r|'ve| have|'ll| will| look| did| seem| sound| really| always| totally| must| should be)|ur)\b|\Ayour? \w+.{0,40}\b(?:is|are|looks?|sounds?|was|were|inspires?|will|has|have|shines?|gonna)\b"
            r"|\Awhat an? |\Ahow (?:nice|cool|sweet|lovely|exciting|wonderful|adorable|cute|beautiful|amazing|awesome)\b|\Asuch an? |\A(?:way to go|well done|nice job|nice work|great job|good job|good for you|love (?:it|that|this|the|your))\b"
            r"|\A(?:glad|happy|proud|stoked|pumped|excited) (?:you|for|to hear|that|it|your|we)\b|\Ai (?:really )?(?:love|like|admire|respect) (?:your|that|how you|you)\b"
            r"|\A(?:so|very|really|super|pretty|too) \w+\W*\Z|\Ai'?m (?:so |really |super )?(?:sorry|impressed|proud|glad|happy) (?:to hear|you|for you|of you|by your|that you|about your)",
            re.IGNORECASE,
        ),
    ),
    (
        Chatter.INVITATION,
        re.compile(
            r"\Alet'?s\b|\A(?:we|you) should\b|\A(?:feel free|let me|lemme|tell me|check (?:it|this|out)|take a look|have a look|look at|here'?s (?:a|the|some|my|one|what|how)\b.{0,25}\Z|give it|try)\b|\Ajust (?:ask|let|remember)\b|\Aremember\b",
            re.IGNORECASE,
        ),
    ),
    (
        Chatter.REACTION,
        re.compile(
            r"\A(?:i (?:\w+ )?(?:agree|understand|get it|hear you|know(?: what you mean)?|see|feel you|can (?:imagine|see|relate|tell))\b.{0,30}\Z"
            r"|i (?:couldn't|could not) agree more|no way|(?:that|it) makes sense|fingers crossed|same (?:here|for me)|why not|done deal|deal|not (?:yet|really|much)|it is|it does|"
            r"that'?s (?:the spirit|it|all|what)|no kidding|tell me about it|i did|i do|i have|i am|i will|i know|will do|it'?s a (?:plan|deal|date)|can'?t wait|(?:\w+\W*){0,2})\W*\Z",
            re.IGNORECASE,
        ),
    ),
)

_FIRST: Final = re.compile(
    r"\b(?:I|i|I['’](?:m|ve|d|ll)|i['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Ww]e|[Ww]e['’](?:re|ve|ll|d)|[Oo]urs?|[Uu]s|[Mm]ine|[Mm]yself)\b"
)
_PAST_FORMS: Final = (
    r"(?:\w{2,}ed|went|got|took|made|saw|met|bought|came|gave|told|found|ran|won|lost|felt|began|left|became|brought|built|caught"
    r"|chose|drew|drove|ate|fell|flew|forgot|grew|heard|kept|learnt|led|paid|read|rode|said|sang|sat|sent|slept|sold|spent|spoke"
    r"|stood|swam|taught|thought|took|tore|threw|wore|wrote|had|did|put|quit|was|were|been)"
)
_EVENT: Final = re.compile(
    rf"\b(?:I|we|i|We)\s+(?:\w+ly\s+|just\s+|also\s+|even\s+|once\s+|already\s+|finally\s+)?{_PAST_FORMS}\b"
    rf"|\b(?:I|we|We)['’]ve\s+(?:\w+\s+)?\w+|\b(?:I|[Ww]e)\s+have\s+(?:\w+\s+)?(?:been|\w+ed|had|gone|done|seen|made|taken|got|started|found)\b"
    rf"|\A(?:just\s+|recently\s+|finally\s+)?(?:went|got|took|made|saw|met|bought|found|had|started|finished|been|spent|tried|did|won|lost|visited|joined|moved|signed|decided|{_PAST_FORMS})\b|\b(?:my|our|My|Our)\s+(?:\w+\s+){{1,3}}{_PAST_FORMS}\b",
)
_PLAN: Final = re.compile(
    r"\b(?:going to|gonna|plan(?:s|ning)?(?: to| on)?|about to|thinking (?:about|of)|hoping to|want to|wanna|would like to|looking (?:into|for)"
    r"|I['’]ll|I will|we['’]ll|we will|next (?:week|month|year|weekend|time)|tomorrow|tonight|soon|upcoming|signed up|applied|applying|preparing|training for"
    r"|working on|trying to|saving (?:up )?for|my (?:goal|dream|plan|aim) is|in the process)\b",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|this|ago|since|recently|lately|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|jan(?:uary)?|feb(?:ruary)?|april|june|july|august|september|october|november|december|(?:19|20)\d\d|daily|weekly|monthly"
    r"|every (?:day|week|month|year|morning|night|other)|once a|twice a|morning|years? old|anniversary|birthday)\b"
    r"|\b(?:in|since|last|by) (?:May|March)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|dozen|first|second|third|half|couple)\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"(?<=[a-z,;:'\"] )(?:[\"“][A-Z]|[A-Z](?!['’]|\s)\w+)|[\"“][A-Z][^\"”]{2,60}[\"”]|#[A-Za-z]\w+|@\w+"
)
_PREFERENCE: Final = re.compile(
    r"\b(?:favou?rites?|prefer(?:s|red)?|love|loves|loved|like|likes|enjoy(?:s|ed|ing)?|hate|hates|can't stand|fan of|fond of|into|passion(?:ate)?|obsessed"
    r"|allergic|vegan|vegetarian|interested in|keen on|hobby|hobbies|addicted)\b",
    re.IGNORECASE,
)
_OWN_PREFERENCE: Final = re.compile(
    r"\bI (?:(?:really|also|still|don't|do not|usually|always|never) )*(?:like|love|prefer|hate|dislike|enjoy)"
    r" (?!(?:it|that|this|how|your?|the way|them|those|these)\b)\w"
)
_POSSESSION: Final = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,2}?\w+|\b(?:I|we|We) (?:have|own|got|had|bought|keep|use|live|work|study|teach|play|run|make|cook|paint|write|read|collect|drive|speak)\b"
    r"|\bI['’](?:ve|m) (?:got|a|an|the|from|in|at|on)\b",
    re.IGNORECASE,
)
_PEOPLE: Final = re.compile(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|mother|father|mom|mum|dad|parents?|sister|brother|siblings?|sons?|daughters?|kids?|child(?:ren)?|bab(?:y|ies)|family|grand\w+"
    r"|aunt|uncle|cousins?|niece|nephew|friends?|neighbou?rs?|roommate|colleagues?|coworkers?|boss|teammates?|team|teacher|coach|mentor|doctor|dogs?|cats?|pups?|pupp(?:y|ies)|pets?|kittens?"
    r"|turtles?|fish|birds?|horses?|fiancée?)\b",
    re.IGNORECASE,
)
_SOLID: Final = re.compile(
    r"\b(?:called|named|decided|decision|chose|because|deadline|policy|rule|must|always|never|every|uses?|requires?|version|job|company|school|college|university|degree|class(?:es)?|course|house|apartment"
    r"|car|book|movie|film|song|album|band|game|show|recipe|restaurant|trip|vacation|concert|festival|tournament|competition|race|event|interview|internship|project|business|store|studio|shop|hospital"
    r"|surgery|diagnos\w+|wedding|funeral|died|born|passed away|broke|accident|award|prize|team|church|park|beach|museum|city|country|town|state|camp\w*|hik\w+|yoga|guitar|piano|violin"
    r"|paint\w*|photo\w*|danc\w+|cook\w*|bak\w+|draw\w*|garden\w*|volunteer\w*|charity|fundrais\w+|group|club|meeting|conference|workshop|seminar|blog|podcast|screenplay|novel|script)\b",
    re.IGNORECASE,
)
_THIRD: Final = re.compile(
    r"\A(?:it|that|this|those|these|they|he|she|there)\b(?!['’]?s? (?:called|named))", re.IGNORECASE
)
_GENERIC: Final = re.compile(
    r"\b(?:is|are|'s|can be|being|it's|isn't|makes?) (?:\w+ ){0,3}(?:important|key|crucial|vital|essential|amazing|great|awesome|powerful|inspiring|everything|priceless|"
    r"worth it|rewarding|the best|necessary|helpful|beautiful|wonderful|possible|better|easier|incredible)\b|\b(?:people|everyone|life|we all|one another|each other|the journey|the world|a difference)\b",
    re.IGNORECASE,
)
_ADDRESSED: Final = re.compile(r"\b(?:you|your|you're|you've|yours|u|ya)\b", re.IGNORECASE)
_FEELING: Final = re.compile(
    r"\b(?:feel|feels|feeling|felt|happy|excited|thrilled|grateful|thankful|proud|blessed|lucky|motivated|inspired|inspiring|hope|hopeful|amazing|awesome|great|special|fun|tough|hard|nice|good)\b",
    re.IGNORECASE,
)
_ASSERTION: Final = re.compile(
    r"\A(?:(?:The|Our|My|Every|Each|All)\s(?:[\w'’-]+\s){1,4}?"
    r"|(?!(?:It|This|That|These|Those|There|They|He|She|You|What|Who|Here|Everything|Everyone|Life|People)\b)[A-Z][\w'’-]+\s(?:[\w'’-]+\s){0,2}?)"
    r"(?:is|are|was|were|has|have|had|will|must|cannot|can't|isn't|no longer|(?:now |always |never )?(?!looks|sounds|seems|means|makes|takes|feels|gives|lets|helps|brings)[a-z]{2,}(?:[^s]s|ed))\b"
)
_LASTING: Final = re.compile(
    r"\b(?:allergic|allergy|vegan|vegetarian|diagnosed|diabet\w+|asthma|pregnant|intolerant|no longer|any ?more"
    r"|from now on|instead of)\b",
    re.IGNORECASE,
)
_UNDER_WAY: Final = re.compile(
    r"\b(?:I|[Ww]e)(?:['’](?:m|re)| am| are| was| were)\s(?:\w+ly\s|also\s|still\s|now\s)?"
    r"(?!(?:feel|look|hop|go|gett|be|lov|say|kidd)ing)\w{3,}ing\b"
)
_OUTBURST: Final = re.compile(
    r"\A(?:I|We)(?:['’](?:m|re)| am| are| was| were)\s(?:(?:so|very|really|super|just|not|pretty|too|quite|all)\s)*(?:\w+)(?:\s(?:yet|now|too|again|though))?\W*\Z"
    r"|\b(?:killing|driving|bugging)\sme\b"
)
_REFERENCE: Final = re.compile(
    r"\bADR[-\s]?\d+\b|\bRFC\s?\d+\b|https?://|(?:^|[\s(`])(?:~|\.{1,2})?/[\w.-]+/[\w./-]+|`[^`]+`|\b[\w-]+\.(?:py|ts|js|go|rs|md|ya?ml|toml|json|sql|sh)\b"
)
_WORD: Final = re.compile(r"[A-Za-z][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Informativeness:
    """`score` 0..1 and the `features` that made it, for explanations."""

    score: float
    features: tuple[str, ...]


def chatter_of(sentence: str) -> Chatter | None:
    """The kind of small talk a whole sentence is, or None; `sentence` is without greeting and vocative."""
    if _QUESTION.search(sentence):
        return Chatter.QUESTION
    return next((kind for kind, pattern in _CHATTER if pattern.match(sentence)), None)


_FEATURES: Final = (
    ("first_person", _FIRST.search, 0.15),
    ("event", _EVENT.search, 0.15),
    ("plan", _PLAN.search, 0.10),
    ("time", _TIME.search, 0.15),
    ("number", _NUMBER.search, 0.10),
    ("name", _NAME.search, 0.15),
    ("preference", _PREFERENCE.search, 0.08),
    ("own_preference", _OWN_PREFERENCE.search, 0.15),
    ("possession", _POSSESSION.search, 0.07),
    ("people", _PEOPLE.search, 0.08),
    ("solid", _SOLID.search, 0.12),
    ("reference", _REFERENCE.search, 0.30),
    ("assertion", _ASSERTION.match, 0.15),
    ("lasting", _LASTING.search, 0.15),
    ("under_way", _UNDER_WAY.search, 0.15),
    ("outburst", _OUTBURST.search, -0.30),
    ("pronoun_subject", _THIRD.match, -0.12),
    ("generic", _GENERIC.search, -0.12),
    ("addressed", _ADDRESSED.search, -0.10),
    ("feeling", _FEELING.search, -0.05),
)
_BASE: Final = 0.25


def informativeness(sentence: str) -> Informativeness:
    """Score one sentence, freed of greeting and vocative, before names are put in."""
    present = [(name, weight) for name, find, weight in _FEATURES if find(sentence)]
    words = len(_WORD.findall(sentence))
    length = -0.12 if words < 4 else -0.08 if words < 6 else 0.05 * min(3, words // 6)
    score = _BASE + length + sum(weight for _, weight in present)
    return Informativeness(round(min(1.0, max(0.0, score)), 3), tuple(name for name, _ in present))
