"""vLLM's `LLM.generate` in a process of its own: the practical limit of the engine.

A module of its own, so that this process loads vLLM alone: what `bench.side_by_side` imports would
be in the engine that it is measured against.

As a program it takes the model's folder and the label tokens as JSON, then one batch a line, the
token ids of its prompts, and answers each with the seconds that `generate` took.
"""

import json
import sys
import time


def main() -> None:
    """Answer line by line until the input ends."""
    from vllm import LLM, SamplingParams
    from vllm.inputs import TokensPrompt

    job = json.loads(sys.stdin.readline())
    engine = LLM(**job["arguments"])
    parameters = SamplingParams(
        max_tokens=1, temperature=0.0, detokenize=False, logprob_token_ids=job["wanted"]
    )
    answer = sys.__stdout__
    if answer is None:
        raise SystemExit("no standard output")
    print(json.dumps({"ready": True}), file=answer, flush=True)
    for line in sys.stdin:
        prompts = [TokensPrompt(prompt_token_ids=ids) for ids in json.loads(line)]
        began_s = time.perf_counter()
        outputs = engine.generate(prompts, parameters, use_tqdm=False)
        elapsed_s = time.perf_counter() - began_s
        print(json.dumps({"elapsed_s": elapsed_s, "read": len(outputs)}), file=answer, flush=True)


if __name__ == "__main__":
    main()
