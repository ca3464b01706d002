"""What credentials look like: prefixes that issuers publish, and phrases in which people pass passwords on.

Prefixes and lengths are the issuers' own documentation; where an issuer promises no length, the shortest seen is the
bound.
"""

from __future__ import annotations

import re
from typing import Final

_EDGE: Final = r"(?<![A-Za-z0-9])"
_END: Final = r"(?![A-Za-z0-9])"


def _token(body: str) -> re.Pattern[str]:
    return re.compile(_EDGE + body + _END)


_CLOUD: Final = (
    r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA|ABIA|ACCA)[A-Z0-9]{16}",  # Amazon access key ids
    r"AIza[0-9A-Za-z_\-]{35}",  # Google API key
    r"ya29\.[0-9A-Za-z_\-]{20,}",  # Google OAuth access token
    r"GOCSPX-[0-9A-Za-z_\-]{20,}",  # Google OAuth client secret
    r"1//0[0-9A-Za-z_\-]{40,}",  # Google OAuth refresh token
    r"(?:dop|doo|dor)_v1_[a-f0-9]{64}",  # DigitalOcean
    r"[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.\-]{31,34}",  # Azure AD client secret
    r"LTAI[A-Za-z0-9]{12,24}",  # Alibaba Cloud
    r"AKID[A-Za-z0-9]{32}",  # Tencent Cloud
)

_SERVICE: Final = (
    r"gh[pousr]_[A-Za-z0-9]{30,}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{40,}",
    r"gl(?:pat|dt|rt|ptt|oas|soat|cbt)-[A-Za-z0-9_\-]{20,}",  # GitLab
    r"xox[abeoprs]-[A-Za-z0-9\-]{10,}",  # Slack
    r"xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{16,}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{24,}",
    r"sk-(?:proj-|svcacct-|admin-|ant-(?:api|admin|sid)\d\d-|or-v1-)?[A-Za-z0-9_\-]{20,}",  # OpenAI, Anthropic, OpenRouter
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"r8_[A-Za-z0-9]{36,}",  # Replicate
    r"pplx-[A-Za-z0-9]{40,}",  # Perplexity
    r"fc-[a-f0-9]{32}",  # Firecrawl
    r"npm_[A-Za-z0-9]{36}",  # npm
    r"pypi-[A-Za-z0-9_\-]{50,}",  # Python package index
    r"dckr_pat_[A-Za-z0-9_\-]{20,}",  # Docker Hub
    r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{30,}",  # SendGrid
    r"key-[0-9a-f]{32}",  # Mailgun
    r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",  # Brevo
    r"(?:SK|AC)[0-9a-f]{32}",  # Twilio
    r"sq0(?:atp|csp)-[A-Za-z0-9_\-]{22,}",  # Square
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",  # Shopify
    r"figd_[A-Za-z0-9_\-]{30,}",  # Figma
    r"lin_api_[A-Za-z0-9]{30,}",  # Linear
    r"(?:ntn_|secret_)[A-Za-z0-9]{40,}",  # Notion
    r"ATATT3x[A-Za-z0-9_\-=]{40,}",  # Atlassian
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",  # Postman
    r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}",  # Grafana
    r"NRAK-[A-Z0-9]{27}",  # New Relic
    r"hvs\.[A-Za-z0-9_\-]{24,}",  # HashiCorp Vault
    r"sbp_[a-f0-9]{40}",  # Supabase
    r"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{16,}",  # Tailscale
    r"EAA[A-Za-z0-9]{60,}",  # Meta graph API
    r"\d{8,10}:AA[A-Za-z0-9_\-]{32,34}",  # Telegram bot
    r"(?:mfa\.[A-Za-z0-9_\-]{80,}|[A-Za-z0-9_\-]{23,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40})",  # Discord
    r"https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[A-Za-z0-9_\-]{40,}",
    r"https://hooks\.slack\.com/services/[A-Z0-9]+/[A-Z0-9]+/[A-Za-z0-9]{16,}",
)

KEYS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "private_key",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)"
        ),
    ),
    ("private_key", re.compile(r"PuTTY-User-Key-File-\d:[\s\S]+?Private-MAC: ?[0-9a-f]+")),
    ("private_key", _token(r"AGE-SECRET-KEY-1[A-Z0-9]{50,}")),
    ("jwt", _token(r"eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}")),
    *(("cloud_key", _token(body)) for body in _CLOUD),
    *(("service_token", _token(body)) for body in _SERVICE),
    # user:password@host of any URL scheme; a placeholder such as <password> or ${PASSWORD} is none
    (
        "connection_string",
        re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.\-]{1,30}://[^\s:/@<>\"'`]*:(?![<$\[{*])[^\s/@<>\"'`]+@[^\s\"'`<>]+"),
    ),
    (
        "connection_string",
        re.compile(
            r"(?i)\b(?:server|data source|host|addr|accountname)=[^;\s]+;(?:[^;\n]{1,80};){0,8}?\s*(?:password|pwd|accountkey)=[^;\s]+"
        ),
    ),
    ("cloud_key", re.compile(r"(?i)\b(?:accountkey|sharedaccesskey)=(?P<value>[A-Za-z0-9+/]{40,}={0,2})")),
    # an Amazon secret has no prefix: 40 characters where the text speaks of one
    (
        "cloud_key",
        re.compile(
            r"(?i)\baws.{0,40}?(?:secret|key).{0,20}?(?<![A-Za-z0-9/+])(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    (
        "bearer",
        re.compile(
            r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|bot)\s+(?P<value>[A-Za-z0-9_\-.~+/]{8,}={0,2})"
        ),
    ),
    ("bearer", re.compile(r"(?i)\bbearer\s+(?P<value>(?=[A-Za-z0-9_\-.~+/]*\d)[A-Za-z0-9_\-.~+/]{16,}={0,2})")),
)
"""(kind, pattern): a match is a credential, or its group `value` is."""

ASSIGNED: Final = re.compile(
    r"(?i)(?:api[_\- ]?key|apikey|secret(?:[_\- ]?(?:key|token))?|access[_\- ]?(?:key|token)|auth[_\- ]?token|client[_\- ]?secret|private[_\- ]?key|"
    r"refresh[_\- ]?token|session[_\- ]?(?:id|token)|(?:bot |user |login )?token|credentials?|schl[üu]ssel|cl[ée]|clave|ключ|密钥|トークン)"
    r"[\"'`]?\s*(?:is|are|=|:|:=|=>|->|ist|es|est|это|是|は|hai)\s*[\"'`]?(?P<value>[A-Za-z0-9_\-.~+/]{16,}={0,2})"
)
"""A name for a credential with a value behind it; the value counts when it looks generated."""

_PASSWORD_WORDS: Final = (
    r"pass(?:word|phrase|code|wd)s?|pwd?|pw|passwort|kennwort|mot de passe|mdp|contrase[ñn]a|senha|palavra[- ]passe|parola d'ordine|"
    r"wachtwoord|l[öo]senord|passord|adgangskode|salasana|has[łl]o|heslo|jelsz[óo]|parol[aă]|[şs]ifre(?:m|si|niz)?|sifre|"
    r"kata sandi|m[ậa]t kh[ẩa]u|пароль|пароля|парол[аеиі]|κωδικ[όο]ς|סיסמה|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|密码|密碼|口令|パスワード|비밀번호|암호"
)
_GAP: Final = (
    r"(?:\s(?:for|to|of|on|at|in|f[üu]r|zum|pour|de|del|para|do|da|di|на|от|к)\s[^\n:=\[]{1,40}?|"
    r"(?!\s(?:manager|policy|reset|hash|field|prompt)\b)(?:\s\w{1,12}){1,2}(?=\s*[:=]))?"
)
"""What may stand between the word and its copula: "for the vpn", or up to two words before a colon or an equals sign."""
_IS: Final = (
    r"[\"'`]?"
    + _GAP
    + r"(?:['’]s\s|\s*(?:(?<=\s)(?:is now|is|was|are|ist|lautet|est|es|[ée]|[èe]|hai(?: mera| meri| apna)?|to|это|är|er|on)"
    r"(?=[\s:])\s*:?|[:：]|=(?![=>])|=>|->|是|为|為|は|は、|—|-(?=\s)))\s*"
)

PHRASES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("password", re.compile(rf"(?i)(?<![^\W_])(?:{_PASSWORD_WORDS}){_IS}(?P<value>[\"'`“«„|*_]*[^\s]+)")),
    # scripts without spaces, and words with the copula attached
    (
        "password",
        re.compile(
            r"(?:密码|密碼|口令|パスワード|비밀번호는?|암호는?|पासवर्ड)(?:是|为|為|は|は、|:|：|\s|है)*\s*(?P<value>[!-~]{4,})"
        ),
    ),
    ("password", re.compile(r"(?i)\bpassword\s+(?P<value>(?=[!-~]*\d)(?=[!-~]*[a-z])[!-~]{6,})")),
    ("password", re.compile(r"(?i)\bpass(?:\s(?:is|hai))?(?:\s*[:=]\s*|\s)(?P<value>(?=\S*\d)(?=\S*[a-z])\S{6,})")),
    ("password", re.compile(r"(?i)(?:--password|-p|--token|--secret)[= ](?P<value>(?=\S*\d)[^\s\"']{6,})")),
    (
        "one_time_code",
        re.compile(
            r"(?i)\b(?:pin|pin[- ]?code|cvv2?|cvc|security code|verification code|one[- ]time (?:code|password)|otp|2fa(?: code)?|tan)"
            r"(?:\s(?:for|to|of)\s[^\n:=]{1,30}?)?\s*(?:is|was|:|=|ist|hai)\s*(?P<value>\d{3,8})(?![\w%]|[.,]\d)"
        ),
    ),
    (
        "seed_phrase",
        re.compile(
            r"(?i)\b(?:seed|recovery|mnemonic|backup|secret|wallet)[ -]?(?:phrase|words?|seed)\b[^\n:]{0,30}?(?:is|:|=)\s*"
            r"(?P<value>(?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})\b"
        ),
    ),
    ("card_number", re.compile(r"(?<![\w.\-/])(?P<value>\d(?:[ \-]?\d){12,18})(?![\w\-/]|\.\d)")),
)
"""(kind, pattern): the group `value` is a credential if `secret_values` agrees."""
