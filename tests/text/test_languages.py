"""Is it English?"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.text.english import word_evidence
from assay.text.languages import foreign_units, other_language, source_language
from assay.text.sentences import sentence_units

OTHER = "a language other than English"
STORY = (
    "The harbour opened in 1986 after four years of work. Ferries leave twice a day, and the"
    " ticket office closes at noon."
)
GESCHICHTE = (
    "Der Hafen wurde 1986 nach vier Jahren eröffnet. Zweimal täglich fahren die Fähren, und die"
    " Kasse schließt mittags."
)
ENGLISH = [
    "The harbour opened in 1986.",
    "Sure!",
    "Yes.",
    "",
    "12 + 7 = 19",
    "El Niño returned in 2015, and La Niña followed.",
    "Angela Merkel said that Die Zeit and Der Spiegel were wrong about it.",
    "He flew from São Paulo to Zürich via Ho Chi Minh City.",
    "Name: Café de la Paix. Address: Rue de la Paix, Paris.",
    "GDP rose 3.4 %; CPI fell 0.2 %.",
    "Krzysztof Kieślowski",
    "THE STORE IS CLOSED",
    "wifi password please",
    "Kennedy said “Ich bin ein Berliner” in 1963.",
    'Her motto was "que será, será".',
    "SELECT name FROM users WHERE id = 3;",
    "https://www.example.org/fr/produits",
    "Whisk eggs, sugar, vanilla.",
    "α + β = γ",
    "Diabetes mellitus type 2",
    "In Japan, people say いただきます before meals.",
]
OTHERS = [
    "Der Hafen ist nicht groß, und die Stadt hat auch keinen Flughafen.",
    "Le port est fermé",
    "El puerto es grande",
    "Il porto non è grande",
    "De haven blijft vandaag gesloten",
    "Liman bugün kapalı",
    "Cảng đóng cửa",
    "Pelabuhan itu sudah tutup",
    "Satama suljetaan tänään",
    "A kikötő zárva van",
    "Bandari imefungwa leo",
    "Sarado ang daungan",
    "DER HAFEN BLEIBT GESCHLOSSEN",
    "el puerto no esta abierto",
]
ANSWERS = [
    ("He was treated for tinea pedis and hallux valgus last year.", "hallux valgus, tinea pedis"),
    ("We had patatas bravas and boquerones en vinagre for lunch.", "Boquerones en vinagre."),
    ("The finale is marked presto furioso in both editions.", "Presto furioso"),
    ("Counsel pleaded nemo dat quod non habet, and lost.", "nemo dat quod non habet"),
    ("A few stems of iris pseudacorus grow by the pond.", "iris pseudacorus"),
    ("The cinema showed El espíritu de la colmena twice.", "It was El espíritu de la colmena."),
    (
        "The log shows a kernel oops, then kmalloc and memcpy failed.",
        "kernel oops, kmalloc, memcpy",
    ),
]
COGNATES = [
    "Le menu est à 20 euros.",
    "El hotel no tiene museo.",
    "Nein, das ist falsch.",
    "MUSEUM BLEIBT MONTAGS GESCHLOSSEN",
    "Hotelul este pe plajă.",
]
LISTS = [
    "Phragmites australis, Typha latifolia, Iris pseudacorus, Salix caprea.",
    "bún chả\nbánh xèo\ngỏi cuốn\nphở bò",
    "Clair de lune\nGaspard de la nuit\nSous le ciel de Paris\nPlayed by two students in May.",
    "nombre: Juan\nciudad: Madrid",
    "She won a prize for Il nome della rosa, and it was translated by three people.",
]
SCRIPTS = {
    "Cyrillic script": "Гавань города не очень велика.",
    "Greek script": "Το λιμάνι είναι κλειστό",
    "Arabic script": "الميناء مغلق",
    "Cjk script": "港口已经关闭",
    "Hangul script": "항구가 닫혔다",
    "Thai script": "ท่าเรือปิดแล้ว",
    "Devanagari script": "बंदरगाह बंद है",
}


def refused(
    response: str, source: str = STORY, language: str = "en", question: str = ""
) -> list[str]:
    example = Example("e", Source(source), Response(response), question, language)
    return [unit.text for unit in foreign_units(example, sentence_units(example))]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_and_what_may_be_english_passes(text: str) -> None:
    assert other_language(text) is None
    assert refused(text) == []


@pytest.mark.parametrize("text", OTHERS)
def test_a_few_words_in_another_language_are_told(text: str) -> None:
    assert other_language(text) == OTHER
    assert refused(text) == [text]


@pytest.mark.parametrize(("source", "answer"), ANSWERS)
def test_words_of_the_source_are_no_reason_to_refuse_an_answer(source: str, answer: str) -> None:
    assert other_language(answer) == OTHER  # without the source
    assert refused(answer, source) == []
    assert refused(answer, f"{STORY} {source}") == []


def test_words_of_an_english_question_are_no_reason_either() -> None:
    assert refused("tinea pedis, hallux valgus") == ["tinea pedis, hallux valgus"]
    assert (
        refused("tinea pedis, hallux valgus", question="Is tinea pedis or hallux valgus worse?")
        == []
    )


@pytest.mark.parametrize(
    "text", ["DCF, WACC, EPS.", "UNHCR, UNICEF, WFP", "Bae Jin-yul, Seo Ye-jin"]
)
def test_acronyms_and_what_follows_a_hyphen_in_a_name_are_names(text: str) -> None:
    assert other_language(text) is None
    assert refused(text) == []


@pytest.mark.parametrize("text", COGNATES)
def test_words_that_english_shares_do_not_hide_another_language(text: str) -> None:
    assert refused(text, "The museum and the hotel are closed on Monday. It costs 20 euros.") == [
        text
    ]


def test_a_foreign_sentence_beside_an_english_one_is_told() -> None:
    assert refused("Das Hotel ist voll. It is full.", "The hotel is full.") == [
        "Das Hotel ist voll."
    ]


@pytest.mark.parametrize("source", LISTS)
def test_lists_names_titles_and_labels_make_no_source_foreign(source: str) -> None:
    assert source_language(source) is None
    assert refused("There are some of them.", source) == []


@pytest.mark.parametrize(
    "source",
    [
        GESCHICHTE,
        f"title: Hafen\ntext: {GESCHICHTE}",
        f"{GESCHICHTE * 5} Terms and conditions apply.",
        "Le port est fermé.",
    ],
)
def test_prose_in_another_language_makes_a_source_foreign(source: str) -> None:
    assert source_language(source) == OTHER


def test_a_foreign_part_of_an_english_source_excuses_no_foreign_sentence() -> None:
    german = "Zweimal täglich fahren die Fähren, und die Kasse schließt mittags."
    assert refused(german, f"{STORY}\n\n{GESCHICHTE}") == [german]
    assert refused("Ferries leave twice a day.", f"{STORY}\n\n{GESCHICHTE}") == []


@pytest.mark.parametrize(("script", "text"), SCRIPTS.items())
def test_another_script_is_named(script: str, text: str) -> None:
    assert other_language(text) == script


def test_a_text_that_could_be_either_is_told_by_what_surrounds_it() -> None:
    assert other_language("Berlin, Hamburg", STORY) is None
    assert other_language("Berlin, alle Tage", GESCHICHTE) == OTHER
    assert other_language("Vitis vinifera", STORY) is None
    assert other_language("Vitis vinifera") == OTHER


def test_foreign_sentences_of_an_english_response_are_told_from_the_others() -> None:
    foreign = "Die Fähren fahren zweimal täglich."
    assert refused(f"The harbour opened in 1986. {foreign} It closes at noon.") == [foreign]


def test_english_sentences_of_a_foreign_response_are_kept() -> None:
    english = "The harbour opened in 1986 after four years of work."
    assert english not in refused(f"{GESCHICHTE} {english}")


def test_english_on_a_foreign_source_is_refused() -> None:
    assert refused("The harbour opened.", GESCHICHTE) == ["The harbour opened."]


def test_a_stated_language_settles_it() -> None:
    assert refused("The harbour opened.", STORY, "de") == ["The harbour opened."]
    example = Example("e", Source(GESCHICHTE), Response("Der Hafen ist groß."))
    units = sentence_units(example)
    assert set(foreign_units(example, units)) == set(units)
    assert foreign_units(replace(example, is_english_stated=True), units) == {}


@pytest.mark.parametrize("name", ["Krzysztof Kieślowski", "José María Aznar", "Société Générale"])
def test_a_name_on_a_source_that_is_only_the_name_is_read(name: str) -> None:
    assert refused(name, name) == []


def test_a_list_of_foreign_names_does_not_make_a_source_foreign() -> None:
    names = ", ".join(["Krzysztof Kieślowski", "Gabriel García Márquez", "Søren Kierkegaard"] * 50)
    assert other_language(f"The festival showed films and books by {names}.") is None


def test_threads_agree() -> None:
    word_evidence.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(other_language, (ENGLISH + OTHERS) * 20))
    assert found == [None if text in ENGLISH else OTHER for text in ENGLISH + OTHERS] * 20


@pytest.mark.parametrize("repeated", ['"', "“", "«„", "a", "_", "'a", "é ", "`", "ж", "<a "])
def test_long_runs_of_one_character_take_linear_time(repeated: str) -> None:
    def seconds(count: int) -> float:
        began = time.process_time()
        other_language(repeated * count, repeated * count)
        return time.process_time() - began

    seconds(1_000)
    assert seconds(200_000) < 20 * max(seconds(100_000), 0.01)
