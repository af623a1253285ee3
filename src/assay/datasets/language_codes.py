"""The two-letter codes of common languages, by their English names and three-letter codes."""

from typing import Final

_LANGUAGES = """
ar Arabic ara
bg Bulgarian bul
ca Catalan cat
cs Czech ces cze
da Danish dan
de German deu ger
el Greek ell gre
en English eng
es Spanish spa
et Estonian est
fa Persian fas per
fi Finnish fin
fr French fra fre
he Hebrew heb
hi Hindi hin
hr Croatian hrv
hu Hungarian hun
id Indonesian ind
it Italian ita
ja Japanese jpn
ko Korean kor
lt Lithuanian lit
lv Latvian lav
nl Dutch nld dut
no Norwegian nor
pl Polish pol
pt Portuguese por
ro Romanian ron rum
ru Russian rus
sk Slovak slk slo
sl Slovenian slv
sr Serbian srp
sv Swedish swe
sw Swahili swa
th Thai tha
tr Turkish tur
uk Ukrainian ukr
vi Vietnamese vie
zh Chinese zho chi
"""
CODES: Final = {
    name.casefold(): code
    for code, *names in map(str.split, _LANGUAGES.strip().splitlines())
    for name in names
}
