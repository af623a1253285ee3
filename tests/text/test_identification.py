"""Which language is it, if it is not English?"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.identification import identify, language_name, languages, small_words

TWELVE = {
    "de": "Der Zug nach Kassel fährt heute von Gleis vier ab.",
    "fr": "Le train pour Lyon part aujourd'hui de la voie quatre.",
    "es": "El tren a Sevilla sale hoy de la vía cuatro.",
    "it": "Il treno per Siena parte oggi dal binario quattro.",
    "pt": "O comboio para Braga não sai hoje da linha quatro.",
    "nl": "De trein naar Breda vertrekt vandaag niet van spoor vier.",
    "pl": "Pociąg do Łodzi odjeżdża dziś z toru czwartego.",
    "ru": "Поезд в Тулу сегодня отправляется с четвёртого пути.",
    "tr": "Bursa treni bugün dördüncü perondan kalkıyor.",
    "zh": "开往苏州的列车今天从四站台发车。",
    "ja": "奈良行きの電車は今日4番線から出ます。",
    "ar": "يغادر القطار إلى طنطا اليوم من الرصيف الرابع.",
}
OTHERS = {
    "da": "Toget til Odense kører i dag ikke fra spor fire.",
    "no": "Toget til Bergen går i dag ikke fra spor fire.",
    "sv": "Tåget till Lund avgår i dag inte från spår fyra.",
    "ca": "El tren de Girona no surt avui de la via quatre, però és a l'estació.",
    "ro": "Trenul spre Cluj nu pleacă astăzi de la linia patru.",
    "cs": "Vlak do Brna dnes neodjíždí ze čtvrtého nástupiště.",
    "fi": "Turun juna ei lähde tänään neljännen raiteen kautta.",
    "hu": "A szegedi vonat ma nem a negyedik vágányról indul.",
    "id": "Kereta ke Bandung hari ini tidak berangkat dari jalur empat.",
    "vi": "Tàu đi Huế hôm nay không khởi hành từ đường số bốn.",
    "af": "Die trein na Paarl vertrek nie vandag van spoor vier nie.",
    "uk": "Потяг до Львова сьогодні не відправляється з четвертої колії.",
    "bg": "Влакът за Варна днес не тръгва от четвърти коловоз.",
    "sr": "Воз за Ниш данас не полази са четвртог колосека.",
    "fa": "قطار شیراز امروز از سکوی چهار حرکت نمی‌کند.",
    "ur": "لاہور کی ٹرین آج پلیٹ فارم چار سے نہیں چلتی۔",
    "ko": "부산행 열차는 오늘 4번 승강장에서 출발하지 않습니다.",
}


@pytest.mark.parametrize(("code", "text"), TWELVE.items())
def test_language_is_named_by_one_sentence(code: str, text: str) -> None:
    assert identify(text) == code


@pytest.mark.parametrize(("code", "text"), OTHERS.items())
def test_a_similar_language_is_not_taken_for_one_of_the_twelve(code: str, text: str) -> None:
    assert identify(text) in (code, None)


@pytest.mark.parametrize("text", ["", "12 + 7", "Otel", "Berlin, Hamburg", "ไทย", "Ναι, το ξέρω."])
def test_what_is_not_clear_has_no_language(text: str) -> None:
    assert identify(text) is None


@pytest.mark.parametrize(
    "text",
    ["Le musée a ouvert en 1987.", "La ville compte 12 000 habitants.", "Le train part à 14 h 30."],
)
def test_short_plain_french_is_named(text: str) -> None:
    assert identify(text) == "fr"


def test_a_single_small_word_names_no_language() -> None:
    assert identify("Tirzepatide 2.5 mg sc qw; metformin 1 g po bid") is None


def test_what_is_not_clear_is_told_by_what_surrounds_it() -> None:
    assert identify("Otel merkezde.") is None
    assert identify("Otel merkezde.", TWELVE["tr"]) == "tr"
    assert identify("Otel merkezde.", "", TWELVE["tr"]) == "tr"


def test_a_clear_text_is_not_told_by_what_surrounds_it() -> None:
    assert identify(TWELVE["es"], TWELVE["pt"]) == "es"
    assert identify("Otel çok güzel, ama küçük.", TWELVE["ja"]) == "tr"


def test_japanese_without_kana_is_told_by_what_surrounds_it_or_taken_for_chinese() -> None:
    assert identify("東京都渋谷区") == "zh"


def test_vowel_marks_and_decomposed_letters_change_nothing() -> None:
    assert identify("يُغادِرُ القِطارُ إلى طَنْطا مِنَ الرَّصيفِ") == "ar"
    assert identify("Der Zug fa\u0308hrt u\u0308ber die Bru\u0308cke.") == "de"


def test_names_of_languages_are_those_of_a_reader() -> None:
    assert [language_name(code) for code in ("en", "ja", "pt", "sv")] == [
        "English",
        "Japanese",
        "Portuguese",
        "Swedish",
    ]
    assert language_name("qq") == "language 'qq'"


def test_small_words_say_nothing_by_themselves() -> None:
    assert "und" in small_words("de")
    assert not {"nicht", "zwei", "uhr"} & small_words("de")
    assert small_words("qq") == frozenset()


def test_every_language_has_words_in_its_own_letters() -> None:
    for language in languages().values():
        assert language.words
        assert identify(" ".join(sorted(language.words))) in (language.code, None)


@given(st.text())
def test_any_text_has_a_known_language_or_none(text: str) -> None:
    assert identify(text, text) in {None, "zh", "ja", "ko", *languages()}


@pytest.mark.parametrize("repeated", ["a", "é ", "的", "ال ", "l'", "ж", "\u0308"])
def test_long_runs_take_linear_time(repeated: str) -> None:
    def seconds(count: int) -> float:
        began = time.process_time()
        identify(repeated * count, repeated * count)
        return time.process_time() - began

    seconds(1_000)
    assert seconds(200_000) < 20 * max(seconds(100_000), 0.01)
