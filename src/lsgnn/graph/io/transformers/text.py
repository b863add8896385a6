"""Free text: TF-IDF of its most frequent words (scikit-learn), or of pieces of words where no word stands twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow.compute as pc
import scipy.sparse as sp

from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.transformers.saved import finite
from lsgnn.graph.validate import Features

MOST_WORDS = 1000
Analyzer = Literal["word", "char_wb"]


@dataclass(frozen=True)
class TextColumn:
    """One column of text.

    Args:
        name: of the column.
        vocabulary: its words, sorted.
        idf: how rare each was among the nodes of the graph it was fitted to.
        analyzer: whether the vocabulary holds words or pieces of two or three letters.
    """

    role: ClassVar[str] = "text"
    is_sparse: ClassVar[bool] = True
    name: str
    vocabulary: tuple[str, ...]
    idf: tuple[float, ...]
    analyzer: Analyzer = "word"

    @classmethod
    def fit(cls, cells: Cells) -> TextColumn:
        documents = _documents(cells)
        # a word of one node tells nothing of the others; texts without blanks have few words that stand twice
        for analyzer, least in (("word", 2), ("char_wb", 2), ("word", 1), ("char_wb", 1)):
            fitted = _vectorizer(analyzer, min_df=least, max_features=MOST_WORDS)  # type: ignore[arg-type]
            try:
                fitted.fit(documents)
            except ValueError:  # no word is left
                continue
            words = tuple(str(word) for word in fitted.get_feature_names_out())
            return cls(cells.name, words, tuple(fitted.idf_.tolist()), analyzer)  # type: ignore[arg-type]
        return cls(cells.name, (), ())

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name} ~ {word}" for word in self.vocabulary)

    @property
    def told(self) -> str:
        return f"TF-IDF of {len(self.vocabulary)} {'words' if self.analyzer == 'word' else 'pieces of words'}"

    def apply(self, cells: Cells) -> Features:
        if not self.vocabulary:
            return sp.csr_array((len(cells), 0), dtype=np.float32)
        fitted = _vectorizer(self.analyzer, vocabulary=list(self.vocabulary))
        fitted.idf_ = np.array(self.idf)
        return sp.csr_array(fitted.transform(_documents(cells)))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TextColumn:
        words, idf = tuple(map(str, values["vocabulary"])), tuple(map(finite, values["idf"]))
        if len(words) != len(idf) or len(set(words)) < len(words) or values["analyzer"] not in ("word", "char_wb"):
            raise ValueError(f"the words of {values['name']!r} and their idf do not fit")
        return cls(values["name"], words, idf, values["analyzer"])


def _vectorizer(analyzer: Analyzer, **settings: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer  # loads slowly

    pieces = (2, 3) if analyzer == "char_wb" else (1, 1)
    return TfidfVectorizer(analyzer=analyzer, ngram_range=pieces, dtype=np.float32, **settings)


def _documents(cells: Cells) -> list[str]:
    documents: list[str] = pc.fill_null(cells.text, "").to_pylist()
    return documents
