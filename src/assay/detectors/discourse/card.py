"""What `assay detectors show discourse-offline` says."""

from assay.text.discourse.lexicon import connectives, word_lists


def facts() -> dict[str, str]:
    """The facts of the offline backend, by heading."""
    hedges = sum(map(len, word_lists("hedges").values()))
    return {
        "model": "that of 'embedded', which reads claims and links behind the sentences",
        "language": "English only; anything else is left without a verdict",
        "word lists": f"{len(connectives())} connectives, {hedges} hedges, verbs that report, words"
        " that judge",
        "rules of thumb": "links, attachment, order, speakers and hedges, by the words of the"
        " source; they only ever make a verdict less faithful, and the note says so",
        "not found": "relations that no word says",
        "figures": "docs/discourse.md",
    }
