from lsgnn.benchmark.made_with import LIBRARIES, made_with


def test_a_page_counts_the_units_of_every_commit() -> None:
    plain = dict.fromkeys(LIBRARIES, "1")
    new, installed = {"environment": plain | {"commit": "abc+changes"}}, {"environment": plain}
    versions = ", ".join(f"{name} 1" for name in LIBRARIES)
    assert made_with([{"environment": {"lsgnn": "0.1.0"}}, new, installed, new]) == (
        f"*Stored results: 2 made at commit abc+changes ({versions}); 1 made before provenance was kept; "
        f"1 made outside a checkout ({versions}).*\n"
    )
    assert made_with([]) == ""
