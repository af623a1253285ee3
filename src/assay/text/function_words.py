"""The most frequent small words of English, and of the other main languages with Latin script.

Those that English shares with another language (`die`, `is`, `on`, `plus`) are in neither list.
"""

from typing import Final

_OF_LANGUAGES = {
    "Catalan": "aquest aquesta amb és està han i les per però que són",
    "Croatian": "je ili koji nije od se su",
    "Czech": "jako je jsou na není nebo po pro se si že",
    "Danish and Norwegian": "av den det eller er et fra har ikke jeg med og på som til var ved",
    "Dutch": "aan bij dat deze een en het hij ik je maar met naar niet nog ook op uit van voor"
    " wij wordt zijn",
    "Finnish": "ei ja kun myös olla ovat tai että",
    "French": "au aux avec ce ces cette dans de des du elle elles est et il ils je la le les"
    " mais ne nous ont ou où oui pas pour qui que sans ses sont sur très une vous"
    " était été être",
    "German": "auch auf aus bei das dem den der des durch ein eine einem einen einer es für"
    " haben ich im ist ja kein keine mit nach nein nicht noch nur oder sehr sein sich"
    " sie sind und vom von werden wie wir wird wurde wurden zu zum zur über",
    "Hungarian": "az egy ez hogy nem és",
    "Indonesian": "adalah dan dari dengan ini itu pada tidak untuk yang",
    "Italian": "al alla alle anche che della delle di dei gli ha il la nel nella per più sì sono"
    " una è",
    "Polish": "ale jest nie oraz się są że",
    "Portuguese": "ao com da das dos ele em foi mais mas muito na não os ou pela pelo por que seu"
    " sua são um uma é está",
    "Romanian": "este și în nu pe sau sunt",
    "Spanish": "como del el ella es esta está están fue hay la las los más muy para pero por que"
    " se sus una y",
    "Swedish": "av det ett från för har inte jag med och på som är",
    "Turkish": "bir bu değil için ile ve",
    "Vietnamese": "và là của không được một",
}
FUNCTION_WORDS: Final = frozenset(
    word
    for words in _OF_LANGUAGES.values()
    for word in words.split()
    if len(word) > 1 or word > "z"
)
ENGLISH_WORDS: Final = frozenset(
    "about after also and because been before being between could does during each from have"
    " how if into it its more must not only our she should since some than that the their them"
    " there these they this those three through two under until were what when where which while"
    " who why will with within without would yes you your".split()
)
