"""The service that `benchmarks/service.py` puts beside ours: LettuceDetect-base behind FastAPI.

It is written as the server that comes with LettuceDetect is: a request at a time holds a lock while
the model reads it in a thread. The network is ModernBERT-base with random weights, which changes
nothing about its speed; texts are cut by the tokenizer of `embedded`, so that both read as much.

Run: python benchmarks/service_peer.py PORT
"""

import asyncio
import sys

import torch
import uvicorn
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from transformers import ModernBertConfig, ModernBertForTokenClassification

from assay.detectors.embedded.detector import SHIPPED, load_model

WORDS = 30_000  # of the network's vocabulary
tokenizer = load_model(SHIPPED).tokenizer
app = FastAPI()
lock = asyncio.Lock()


class Asked(BaseModel):
    """A source, a response, and the question."""

    source: str
    response: str
    question: str = ""


class Told(BaseModel):
    """The chance of each token of the response to be unsupported."""

    predictions: list[float]


def load() -> ModernBertForTokenClassification:
    """The network, with the kind of attention that is quicker here."""
    config = ModernBertConfig()
    config._attn_implementation = "sdpa"
    return ModernBertForTokenClassification(config).train(False)


model = load()


def predict(asked: Asked) -> list[float]:
    """Reads a pair of texts in one pass."""
    source = tokenizer.encode(f"{asked.question}\n{asked.source}")
    response = tokenizer.encode(asked.response)
    ids = torch.tensor([[int(each) % WORDS + 5 for each in (*source, *response)]])
    with torch.no_grad():
        chances = model(ids).logits.softmax(-1)[0, len(source) :, 1]
    found: list[float] = chances.tolist()
    return found


@app.post("/check")
async def check(asked: Asked) -> Told:
    """One check after the other."""
    async with lock:
        return Told(predictions=await run_in_threadpool(predict, asked))


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
