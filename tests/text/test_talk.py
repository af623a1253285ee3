"""What states nothing in other languages, and what does."""

import pytest

from assay.text.answers import answers_only, is_bare_answer
from assay.text.statements import states_nothing
from assay.text.talk import is_talk

NOTHING = {
    "de": [
        "Gerne!",
        "Natürlich, hier ist eine Zusammenfassung des Artikels:",
        "Hier ist eine kurze Zusammenfassung des Textes.",
        "Lassen Sie mich wissen, wenn Sie Fragen haben.",
        "Es tut mir leid, diese Frage kann ich nicht beantworten.",
        "Zusammenfassung",
        "Ist die Brücke gesperrt?",
        "Ja, das stimmt.",
    ],
    "fr": [
        "Bien sûr !",
        "Voici un résumé de l'article.",
        "N'hésitez pas à poser d'autres questions.",
        "Je suis désolé, je ne peux pas répondre.",
        "Points clés",
        "Le pont est-il fermé ?",
        "Non, pas du tout.",
    ],
    "es": [
        "¡Por supuesto!",
        "Aquí tienes un resumen del artículo.",
        "No dudes en preguntar.",
        "Lo siento, no puedo responder.",
        "Conclusión",
        "¿Está cerrado el puente?",
        "Sí.",
    ],
    "it": [
        "Certo!",
        "Ecco un riassunto dell'articolo.",
        "Fammi sapere se serve altro.",
        "Mi dispiace, non posso rispondere.",
        "Punti chiave",
        "Il ponte è chiuso?",
        "No, purtroppo.",
    ],
    "pt": [
        "Claro!",
        "Aqui está um resumo do artigo.",
        "Espero que isso ajude!",
        "Desculpe, não posso responder.",
        "Resumo",
        "A ponte está fechada?",
        "Não.",
    ],
    "nl": [
        "Natuurlijk!",
        "Hier is een samenvatting van het artikel.",
        "Laat het me weten als je vragen hebt.",
        "Het spijt me, dat weet ik niet.",
        "Samenvatting",
        "Is de brug dicht?",
        "Nee, dat klopt niet.",
    ],
    "pl": [
        "Oczywiście!",
        "Oto podsumowanie artykułu.",
        "Daj mi znać, jeśli masz pytania.",
        "Przykro mi, nie mogę odpowiedzieć.",
        "Wnioski",
        "Czy most jest zamknięty?",
        "Tak.",
    ],
    "ru": [
        "Конечно!",
        "Вот краткое содержание статьи.",
        "Дайте знать, если нужно что-то ещё.",
        "Извините, я не могу ответить.",
        "Выводы",
        "Мост закрыт?",
        "Нет, это не так.",
    ],
    "tr": [
        "Elbette!",
        "İşte makalenin özeti.",
        "Umarım bu yardımcı olur.",
        "Üzgünüm, buna cevap veremem.",
        "Özet",
        "Köprü kapalı mı?",
        "Hayır.",
    ],
    "zh": [
        "当然可以！",
        "以下是文章的摘要：",
        "以下是文章的摘要。",
        "如果您还有疑问，请告诉我。",
        "抱歉，我无法回答这个问题。",
        "总结",
        "桥关闭了吗？",
        "是的。",
    ],
    "ja": [
        "もちろんです！",
        "以下は記事の要約です。",
        "ご質問があれば、お知らせください。",
        "申し訳ありませんが、お答えできません。",
        "まとめ",
        "橋は閉鎖されていますか？",
        "いいえ、違います。",
    ],
    "ar": [
        "بالتأكيد!",
        "إليك ملخص المقال.",
        "لا تتردد في طرح أي سؤال.",
        "عذرًا، لا أستطيع الإجابة عن هذا السؤال.",
        "الخلاصة",
        "هل الجسر مغلق؟",
        "نعم، هذا صحيح.",
    ],
}
ENGLISH = [
    "Excuses for late delivery were made by the firms.",
    "Pardon was refused to the prisoners.",
    "Lamento is a madrigal by Monteverdi.",
    "Voilà is a version of the app for Android.",
    "Scusa is a song by Renga.",
    "Desculpa is a song.",
    "Prima.",
    "Vale.",
    "Salve.",
]
SOMETHING = [
    ("de", "Hier ist seit Mai ein Café."),
    ("de", "Natürlich darf man hier baden."),
    ("de", "Hier ist die Antwort: Das Schiff sank."),
    ("fr", "Voici Paul, le frère de Marie."),
    ("es", "Claro es el nombre de una empresa."),
    ("es", "No puede entrar nadie."),
    ("it", "Il certo non basta al giudice."),
    ("de", "Ja-Stimmen gab es kaum."),
    ("nl", "Nee, de brug is gesloten."),
    ("pl", "Tak twierdzi rzecznik policji."),
    ("ru", "Конечная станция закрыта."),
    ("tr", "Işte çalışanlar zam aldı."),
    ("zh", "这是一座旧桥。"),
    ("zh", "可以带狗入内。"),
    ("ja", "これは古い橋です。"),
    ("ar", "هذا الجسر قديم."),
    ("de", "Ja, das Schiff hatte 312 Passagiere."),
]


@pytest.mark.parametrize(
    ("language", "sentence"), [(code, each) for code, some in NOTHING.items() for each in some]
)
def test_talk_states_nothing_in_its_language(language: str, sentence: str) -> None:
    assert states_nothing(sentence, language)


@pytest.mark.parametrize("sentence", ENGLISH)
def test_phrases_of_other_languages_state_something_in_english(sentence: str) -> None:
    assert not states_nothing(sentence)
    assert not is_bare_answer(sentence)


def test_phrases_count_only_in_their_own_language() -> None:
    assert states_nothing("Vale.", "es")
    assert not states_nothing("Vale.", "it")
    assert not states_nothing("Vale.", "da")


@pytest.mark.parametrize(("language", "sentence"), SOMETHING)
def test_what_merely_begins_like_talk_states_something(language: str, sentence: str) -> None:
    assert not is_talk(sentence, language)
    assert not states_nothing(sentence, language)


def test_a_bare_answer_says_something_with_its_question() -> None:
    assert is_bare_answer("Nein, leider nicht.", "de")
    assert answers_only("Nein, leider nicht.", "Ist die Brücke offen?", "de")
    assert not answers_only("Nein, leider nicht.", "", "de")
    assert not answers_only("Nein, sie ist gesperrt.", "Ist die Brücke offen?", "de")


@pytest.mark.parametrize("repeated", ["claro ", "是", "gerne! ", "a", "：", "' "])
def test_long_runs_are_read_at_once(repeated: str) -> None:
    assert is_talk(repeated * 100_000, "es") in (True, False)
