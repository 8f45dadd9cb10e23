"""The benchmark as a task for Inspect: `inspect eval isarstep/apps/llm/inspect_task.py --model ...`.

Needs pip install 'isarstep[inspect]'. Prompts, readings and scores are those of `isarstep ask`.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from isarstep.apps.llm.questions import SHOTS, PromptMessage, Questions, judgement
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark

_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task
def isarstep(
    benchmark: str = "embedded", split: str = "validation", limit: int | None = None, shots: int = SHOTS
) -> Task:
    """The missing step of an Isabelle proof: is the reply's proposition the author's, as a term?"""
    opened = Benchmark(benchmark)
    questions = Questions(opened, shots)
    examples = {example.id: example for example in opened.split(split).lowest(limit)}
    samples = [
        Sample(id=each.id, input=[_message(message) for message in questions.prompt(each)], target=each.f1)
        for each in examples.values()
    ]
    name = f"isarstep-{opened.hash[:12]}-{split}"
    return Task(dataset=MemoryDataset(samples, name=name), solver=generate(), scorer=as_terms(questions, examples))


def _message(message: PromptMessage) -> ChatMessage:
    return _ROLES[message["role"]](content=message["content"])


@scorer(metrics={"top1": [mean(), stderr()], "unreadable": [mean()]})
def as_terms(questions: Questions, examples: dict[str, Example]) -> Scorer:
    """1 where the answer is the reference as a term; what could not be read is counted apart."""

    async def judge(state: TaskState, target: Target) -> Score:
        example = examples[str(state.sample_id)]
        answer, value = judgement(questions, example, state.output.completion)
        return Score(value=value, answer=answer.text, explanation=answer.problem)

    return judge
