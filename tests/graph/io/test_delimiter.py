"""Which character separates columns: the one that gives every line as many cells as the first."""

import pytest

from lsgnn import InputError
from lsgnn.graph.io.delimiter import checked_delimiter, detected_delimiter

TABLES = {
    "the usual one": (["a,b", "1,2"], ","),
    "semicolons and decimal commas": (["a;b;c", "1,5;2,5;x", "1;2;y"], ";"),
    "tabs": (["a\tb", "1\t2"], "\t"),
    "bars": (["a|b", "1|2"], "|"),
    "commas in a name": (["name, first;age", "Ann;3", "Bo;4"], ";"),
    "quoted semicolons": (["a,b", '"x;y",2'], ","),
    "a quoted line break": (["a;b\n", '"x\n', 'y";2\n'], ";"),
    "one column": (["id", "a,b"], ","),
    "a ragged row of a usual table": (["a,b", "1,2,3"], ","),
    "a header alone": (["a;b"], ";"),
    "nothing": ([], ","),
}


@pytest.mark.parametrize(("lines", "mark"), TABLES.values(), ids=TABLES.keys())
def test_the_delimiter_of_a_table(lines, mark):
    assert detected_delimiter(lines, usual=",") == mark


def test_a_delimiter_may_be_named_in_words():
    assert [checked_delimiter(name) for name in ("tab", "\\t", "semicolon", ";", "|", ":")] == [
        "\t",
        "\t",
        ";",
        ";",
        "|",
        ":",
    ]
    for wrong in ("", ";;", '"', "\n", "é"):
        with pytest.raises(InputError, match="is not a single character such as ';'"):
            checked_delimiter(wrong)
    with pytest.raises(InputError, match=r"delimiter is 5 \(int\), but it is a character"):
        checked_delimiter(5)
