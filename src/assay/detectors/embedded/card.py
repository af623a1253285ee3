"""What `assay detectors show embedded` says: the summary of the model's card."""

from assay.detectors.embedded.reading import SOURCE_TOKENS
from assay.detectors.embedded.weights import SHIPPED, Model


def facts() -> dict[str, str]:
    """The facts of the shipped model, by heading; its weights are not loaded."""
    card = Model(SHIPPED).card
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    return {
        "model": f"{card['name']}: {card['layers']} layers,"
        f" {card['parameters'] / 1e6:.1f} million weights in four bits, {size / 1e6:.1f} MB",
        "licence": "Apache-2.0; made from SmolLM2-135M-Instruct (Apache-2.0)",
        "language": "English only; anything else is left without a verdict",
        "reads at once": f"up to {SOURCE_TOKENS:,} tokens of the source, about"
        f" {round(SOURCE_TOKENS * 0.75, -2):,.0f} words; of more, the passages nearest to the"
        " sentences",
        "not answered": "whether a sentence has several readings, and whether outside knowledge"
        " supports it",
        "measured on": "sources that were not trained on; value (95 % interval), n",
        **card.get("figures", {}),
        "must not be used": "as the only judge where an error harms somebody; docs/model-card.md"
        " says why, with known failures",
    }
