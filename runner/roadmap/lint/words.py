"""The words that rules look for. Closed lists: what is not in them is taken for a name."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words(
    """a an the and or of in to for on at by with from into up out it its is are be as this that
    our my your all any every each more most also then so if when where not no we i you they
    there here will should can could would must may well too very just about after before
    during"""
)

GENERIC = _words(
    """add adds adding added create creating make making makes do doing does implement
    implementing implementation build building write writing fix fixes fixing fixed update
    updates updating updated change changes changing improve improves improving improvement
    improvements enhance enhanced improved optimized enhancing enhancement enhancements refactor
    refactors refactoring
    clean cleanup clean-up cleaning tidy polish polishing optimize optimise optimizing
    optimising optimization optimizations optimisation optimisations handle handling review
    check test tests testing document documentation documenting doc docs readme investigate
    research explore look consider think finish finalize finalise complete continue start work
    working try get setup set support rework tweak tweaks adjust adjustments prepare finishing
    final extend expand upgrade some various several many few misc miscellaneous other others
    etc stuff thing things everything anything something whatever better nicer nice good great
    best faster cleaner simpler easier cool awesome proper properly correct correctly
    appropriate appropriately necessary needed need needs required general generally overall
    further additional extra new old remaining rest basic advanced modern robust different
    possible potential minor major small big important bug bugs bugfix bugfixes issue issues
    problem problems error errors edge case cases corner crash crashes feature features
    functionality functionalities code codebase project app apps application applications
    program software system site website page pages ui ux ui/ux interface frontend backend
    front-end back-end front end back api apis quality performance speed security stability
    usability experience reliability maintainability readability structure architecture design
    logic task tasks item items part parts area areas place places detail details user users
    user-friendly friendly feel style styles styling coverage comments phase stage step sprint
    milestone week backlog todo todos later next future ideas idea wip tech technical debt
    housekeeping maintenance roadmap plan planned planning goal goals month months quarter year
    day checklist requirements objectives must have should critical urgent identified known
    existing current high medium low priority blocking immediate short long term mid upcoming
    open next-steps steps v q release releases version versions backlogs"""
)
"""Words that are said of any project; a task made of nothing else names nothing."""

FILLER = re.compile(
    r"\b(?:some|various|several|misc|miscellaneous|etc|stuff|things?|whatever|better|nicer|"
    r"cleaner|improve\w*|enhance\w*|clean[ -]?up|tidy(?: up)?|polish\w*|optimi[sz]\w*|refactor\w*|"
    r"as needed|if needed|where (?:needed|necessary|appropriate)|as (?:appropriate|necessary)|"
    r"more features|other (?:fixes|improvements|bugs|issues|changes|tasks))\b",
    re.IGNORECASE,
)
"""Words that promise work without saying which."""

OPEN_SET = re.compile(
    r"\b(?:some|various|several|misc(?:ellaneous)?|multiple|random|a (?:few|couple of|bunch of)|"
    r"(?:the )?(?:remaining|other))\s+(?:\w+\s+){0,2}?"
    r"(?:bugs?|bugfixes|issues?|problems|improvements?|fixes|things?|stuff|changes|tweaks|"
    r"features|enhancements?|optimi[sz]ations?|edge cases?|corner cases?|clean-?ups?|"
    r"refactorings?|code|tests|updates|tasks|details)\b(?!\s*[:(])"
    r"|\beverything (?:needed|required|else)\b",
    re.IGNORECASE,
)
"""A number of things nobody can count, of a kind nobody can look up."""

OPEN_END = re.compile(
    r"(?:\betc\.?|\band (?:so on|more|others)|\.\.\.|…|"
    r"\b(?:as|where) (?:needed|necessary|appropriate))\s*\.?$",
    re.IGNORECASE,
)
"""Nobody can say where it ends."""

_IMPROVING = (
    r"improve|optimi[sz]e|enhance|speed up|harden|secure|polish|moderni[sz]e|stabili[sz]e|"
    r"tune|streamline|clean up|tidy up|tidy|simplify|refactor|rework|better"
)
QUALITY = re.compile(
    rf"^(?:\W*(?:{_IMPROVING})\b|"
    r"\W*make\b[^.;\n]{1,80}?\b(?:faster|more \w+|better|robust|responsive|reliable|scalable|"
    r"secure|nicer|simpler|cleaner|efficient|intuitive|user-friendly|accessible|modern|stable)\b|"
    r"\W*ensure\b[^.;\n]{1,80}?\b(?:robust|responsive|reliable|scalable|secure|efficient|"
    r"user-friendly|stable|performant|fast)\b)"
    r"|\b(?:gracefully|properly|correctly|efficiently|securely|nicely|user-friendly|intuitive)\b",
    re.IGNORECASE,
)
"""A goal that is a matter of degree or taste."""

MEASURE = re.compile(
    r"\d|->|=>|→|\+|:\s*\w|\s[\u2013\u2014-]\s\w"
    r"|\b(?:so that|such that|must|returns?|when|whenever|unless|without|instead of|rather than|"
    r"until|no longer|with|using|via|by|through|to \w{2,}|based on|into|at (?:least|most)|below|"
    r"under|like|if|as)\b",
    re.IGNORECASE,
)
"""What says how a goal is reached, or when it is."""

_BUILD = r"build|create|implement|develop|design|write|rewrite|redesign|re-?implement|port|migrate"
_WHOLE = r"entire|whole|complete|full|full(?:y)?[- ]featured|full-?stack|production-?ready"
_APPLICATION = (
    r"systems?|platform|applications?|apps?|codebase|code base|project|frontend|front-end|backend|"
    r"back-end|website|site|suite|framework|engine|infrastructure|stack|marketplace|service|"
    r"software|api|ui|ide|compiler|database|dashboard|game"
)
WHOLE_THING = re.compile(
    rf"^\W*(?:{_BUILD}|refactor|convert)\b[^.;\n]{{0,40}}?\b(?:{_WHOLE})\s+(?:[\w-]+\s+){{0,3}}?"
    rf"(?:{_APPLICATION})\b",
    re.IGNORECASE,
)
SWEEP = re.compile(
    r"^\W*(?:rewrite|redesign|re-?implement|port|migrate|convert|refactor)\s+(?:all|every)\b"
    r"[^.;,\n]{0,40}?\b(?:services?|modules?|components?|pages?|screens?|endpoints?|code|"
    r"packages?|classes|handlers|controllers)\b",
    re.IGNORECASE,
)
SCOPE = re.compile(
    rf"^\W*(?:{_BUILD})\b[^.;\n]{{0,60}}?\b(?:from scratch\b|clone\b)"
    r"|^\W*(?:build|create|develop|implement)\s+(?:an?|the|our)\s+"
    r"(?:(?!(?:for|of|to|in|on|with|from|and|demo|sample|example|test|simple|minimal|small|dummy)\b)"
    r"[\w-]+\s+){0,3}(?:platform|applications?|app|marketplace|website|web ?site|saas|shop|game)"
    r"\s*[.!]?$",
    re.IGNORECASE,
)
"""A whole application; all of a kind made anew; a known product built again."""

PROJECT_VERBS = re.compile(
    r"(?:^[^\w\n]*|[,;:.]\s+(?:and\s+|then\s+)?|\b(?:and|then|plus|also)\s+)"
    r"(build|create|implement|develop|design|add|integrate|deploy|migrate|refactor|rewrite|"
    r"set up|launch|configure|port|redesign|replace|introduce|optimi[sz]e|containeri[sz]e|publish|"
    r"automate|restructure|rework)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Verbs of construction where a clause begins; tests and documentation belong to the work."""

FEATURES = re.compile(
    r"\b(?:auth\w*|login|log-?in|sign-?up|registration|oauth\d?|sso|2fa|two-factor|sessions?|"
    r"passwords?|billing|payments?|checkout|subscriptions?|invoic(?:es|ing)|notifications?|"
    r"messaging|chat|e-?mails?|reporting|reports|analytics|dashboards?|admin|management|search|"
    r"profiles?|onboarding|roles|permissions|rbac|inventory|shopping cart|orders?|reviews|"
    r"recommendations?|comments|uploads?|frontend|front-end|backend|back-end|"
    r"mobile app|apps?|rest api|apis?|graphql|database|deployment|monitoring|logging|metrics|"
    r"caching|rate limiting|ci/cd|i18n|internationali[sz]ation|locali[sz]ation|scheduling|"
    r"sync|offline|plugins?|webhooks?|integrations?|export|import|audit log\w*|multi-?tenan\w+)\b",
    re.IGNORECASE,
)
"""Parts of an application that are each a piece of work."""
