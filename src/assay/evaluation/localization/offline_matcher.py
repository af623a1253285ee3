"""`OfflineMatcher`: matches inconsistencies by the words they mark and the words they use."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.units import Unit
from assay.evaluation.localization.inconsistencies import Inconsistency, shared_characters
from assay.evaluation.localization.matching import Matches
from assay.evaluation.localization.wording import Wordings

SAME_PLACE = 0.5  # shared characters / characters of either, from which the place alone decides
WORDING = 0.12  # similarity of wording; fitted, see docs/localization.md
APART = 0.45  # the same for what is known to be about other words of the response; fitted as well


@dataclass(frozen=True, slots=True)
class OfflineMatcher:
    """Compares every account of a gold error with the prediction; needs no model and no key.

    Both mark words: the same words are the same error; if they share some, or none, the wording
    must agree as well, for none far more. One marks nothing: its description is compared with the
    description and the marked words of the other. A prediction without a description of its own,
    such as an unfaithful sentence, is too vague for anything but the same words.
    """

    wording: float = WORDING
    apart: float = APART
    name: str = "offline"
    concurrency: int = 1

    async def match(
        self,
        gold: Sequence[Inconsistency],
        predicted: Sequence[Inconsistency],
        example: Example,
    ) -> Matches:
        """An entry for each prediction; greedily, the most alike are paired first, one to one.

        A prediction left over that is like a gold error already taken repeats it, and is matched
        with it too. Of equals the earlier prediction, then the earlier gold error, comes first.
        """
        wordings = Wordings(example.response.text, example.language)
        pairs = sorted(  # the most alike first
            (-likeness, place, number)
            for place, one in enumerate(predicted)
            for number, error in enumerate(gold)
            if (likeness := max(self._likeness(one, each, wordings) for each in error.accounts))
        )
        matches: dict[int, int] = {}
        for _, place, number in pairs:
            if place not in matches and number not in matches.values():
                matches[place] = number
        for _, place, number in pairs:
            matches.setdefault(place, number)
        return tuple(matches.get(place) for place in range(len(predicted)))

    def _likeness(self, predicted: Inconsistency, other: Unit, wordings: Wordings) -> float:
        """How alike a prediction and an account of a gold error are; 0 if they are not the same."""
        one = predicted.unit
        shared, own, theirs = (
            shared_characters(*pair) for pair in ((one, other), (one, one), (other, other))
        )
        place = shared / (own + theirs - shared or 1)
        if place >= SAME_PLACE:
            return place + wordings.similarity(one.text, other.text)
        if predicted.is_made:
            return 0.0
        if not (one.spans and other.spans):
            alike = wordings.similarity(_with_words(one), _with_words(other))
            return alike if alike >= self.wording else 0.0
        shorter, longer = (other, one) if theirs < own else (one, other)
        alike = wordings.similarity(_with_words(shorter) if place else shorter.text, longer.text)
        return place + alike if alike >= (self.wording if place else self.apart) else 0.0


def _with_words(unit: Unit) -> str:
    """The description, and the marked words if there are any."""
    return " ; ".join((unit.text, *(span.text for span in unit.spans)))
