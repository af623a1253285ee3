"""The first step of a two-step localizer, by the name that follows `two-step=`."""

from assay.core.errors import InputError
from assay.detectors.judges.faithjudge import FaithJudge
from assay.detectors.judges.grounding import make_grounding
from assay.detectors.localize.oracle import Oracle
from assay.detectors.protocol import Detector
from assay.detectors.registry import find_entry, load_detector
from assay.llm.client import Client


def first_step(name: str, client: Client) -> Detector | Oracle:
    """`self`: the same model is asked for a reasoned verdict; `gold`: what people said.

    Anything else is a detector; if it asks a model, the same one.
    """
    if name == "self":
        return make_grounding(client, "")
    if name == "gold":
        return Oracle()
    asks_model = find_entry(name.partition(":")[0]).asks_model
    detector = load_detector(name, client if asks_model else None)
    if isinstance(detector, FaithJudge) and detector.peers != 0:
        raise InputError("faithjudge needs peers and is no first step; faithjudge:peers=0 is one")
    return detector
