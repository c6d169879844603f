"""Times of the official client's first tokens: `python openai_client.py BASE_URL COUNT`, as JSON.

It runs in LiteLLM's environment, which has that package.
"""

from __future__ import annotations

import json
import sys
import time

from openai import OpenAI  # type: ignore[import-not-found]

base_url, count = sys.argv[1], int(sys.argv[2])
taken = []
for _ in range(count):
    # Each has a connection of its own, which is made when it sends, and not before.
    client = OpenAI(base_url=base_url, api_key="bench", max_retries=0)
    began = time.perf_counter()
    reply = client.chat.completions.create(
        model="scripted", stream=True, messages=[{"role": "user", "content": "hi"}]
    )
    next(iter(reply))
    taken.append(time.perf_counter() - began)
    reply.close()
    client.close()
print(json.dumps(taken))
