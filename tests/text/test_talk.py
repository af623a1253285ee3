"""What states nothing in other languages, and what does."""

import pytest

from assay.text.answers import answers_only
from assay.text.statements import states_nothing
from assay.text.talk import is_bare_answer, is_talk

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
SOMETHING = [
    "Hier ist seit Mai ein Café.",
    "Natürlich darf man hier baden.",
    "Hier ist die Antwort: Das Schiff sank.",
    "Voici Paul, le frère de Marie.",
    "Claro es el nombre de una empresa.",
    "No puede entrar nadie.",
    "Il certo non basta al giudice.",
    "Ja-Stimmen gab es kaum.",
    "Nee, de brug is gesloten.",
    "Tak twierdzi rzecznik policji.",
    "Конечная станция закрыта.",
    "Işte çalışanlar zam aldı.",
    "这是一座旧桥。",
    "可以带狗入内。",
    "これは古い橋です。",
    "هذا الجسر قديم.",
    "Ja, das Schiff hatte 312 Passagiere.",
]


@pytest.mark.parametrize(
    ("language", "sentence"), [(code, each) for code, some in NOTHING.items() for each in some]
)
def test_talk_states_nothing_whether_or_not_its_language_is_known(
    language: str, sentence: str
) -> None:
    assert states_nothing(sentence, language)
    assert states_nothing(sentence)


@pytest.mark.parametrize("sentence", SOMETHING)
def test_what_merely_begins_like_talk_states_something(sentence: str) -> None:
    assert not is_talk(sentence)
    assert not states_nothing(sentence)


def test_a_bare_answer_says_something_with_its_question() -> None:
    assert is_bare_answer("Nein, leider nicht.")
    assert answers_only("Nein, leider nicht.", "Ist die Brücke offen?")
    assert not answers_only("Nein, leider nicht.", "")
    assert not answers_only("Nein, sie ist gesperrt.", "Ist die Brücke offen?")


@pytest.mark.parametrize("repeated", ["claro ", "是", "gerne! ", "a", "：", "' "])
def test_long_runs_are_read_at_once(repeated: str) -> None:
    assert is_talk(repeated * 100_000) in (True, False)
