"""The digest of a model's code: another where the model is another, and the same where only words are."""

from collections.abc import Callable

from lsgnn import zoo
from lsgnn.benchmark.model_code import digest_of, model_code

FILES = {
    "lsgnn.zoo.one": 'from lsgnn.zoo.layers import drop\nfrom lsgnn.zoo.protocol import Model\nx = drop("a")',
    "lsgnn.zoo.layers": "from lsgnn.propagate import filters\nfrom lsgnn.train.loop import Loop\ndef drop(x): return x",
    "lsgnn.propagate.filters": "A = 1",
    "lsgnn.zoo.protocol": "M = 1",
    "lsgnn.train.loop": "L = 1",
}


def digest(**changed: str) -> str:
    sources = FILES | {f"lsgnn.{name.replace('__', '.')}": source for name, source in changed.items()}
    read: Callable[[str], str | None] = sources.get
    return digest_of(["lsgnn.zoo.one"], read)


def test_what_a_model_imports_is_part_of_it() -> None:
    assert digest(zoo__one=FILES["lsgnn.zoo.one"] + "\ny = 2") != digest()
    assert digest(zoo__layers=FILES["lsgnn.zoo.layers"].replace("return x", "return 2 * x")) != digest()
    assert digest(propagate__filters="A = 2") != digest()  # imported by what it imports


def test_protocol_and_training_are_not() -> None:
    assert digest(zoo__protocol="M = 2", train__loop="L = 2") == digest()


def test_of_several_modules_every_one_counts() -> None:
    both = FILES | {"lsgnn.zoo.two": "x = 1"}
    assert digest_of(["lsgnn.zoo.one", "lsgnn.zoo.two"], both.get) != digest()


def test_other_packages_count_if_asked() -> None:
    one, other = (
        digest_of(["lsgnn.zoo.one"], (FILES | {"lsgnn.train.loop": loop}).get, ("zoo", "train")) for loop in "LM"
    )
    assert one != other


def test_comments_and_docstrings_do_not_count() -> None:
    told = FILES["lsgnn.zoo.layers"].replace(
        "def drop(x): return x", 'def drop(x):\n    """Says."""\n    return x  # so'
    )
    assert digest(zoo__layers=told) == digest()


def test_every_model_has_its_own() -> None:
    assert len({model_code(name) for name in zoo.names()}) == len(zoo.names())
