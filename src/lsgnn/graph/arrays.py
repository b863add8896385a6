"""Whatever a user may pass as an array or as text, in the one form in which it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.memory import require_memory


def as_array(value: Any) -> NDArray[Any]:
    """A numpy array of an array, list or torch tensor (on any device, of any layout and float type)."""
    if hasattr(value, "detach") and hasattr(value, "layout"):
        value = value.detach().cpu()
        if str(value.layout) != "torch.strided":
            value = value.to_dense()
        return np.asarray(value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy())
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InputError(f"rows of different lengths are not an array ({error}): pad or mend them") from error
    except (TypeError, OverflowError, RuntimeError) as error:
        kind = type(value).__name__
        raise InputError(f"a {kind} is not an array ({error}): pass a numpy array, a list or a tensor") from error


def text_array(texts: Sequence[str], what: str) -> NDArray[np.str_]:
    """The texts [n] as numpy stores them, each in the room of the longest."""
    longest = max(map(len, texts), default=0)
    require_memory(
        4 * longest * len(texts), f"{what} with a text of {longest} characters among {len(texts)}", "shorten that text"
    )
    return np.array(texts, dtype=np.str_)


def as_text(text: NDArray[Any], what: str) -> NDArray[np.str_]:
    """An array of text or of UTF-8 bytes as text that can be printed and stored."""
    try:
        text = np.strings.decode(text, "utf-8") if text.dtype.kind == "S" else text.astype(np.str_, copy=False)
    except UnicodeDecodeError as error:
        raise InputError(f"{what} holds {error.object!r}, which is not UTF-8 text: write it as text") from error
    text = np.ascontiguousarray(text, dtype=text.dtype.newbyteorder("="))
    codes = text.reshape(-1).view(np.uint32)
    bad = (codes > 0x10FFFF) | ((codes & 0xFFFFF800) == 0xD800)
    if bad.any():
        code = int(codes[bad.argmax()])
        raise InputError(f"{what} holds the character number {code}, which is none in Unicode: write the text again")
    return text


def as_float32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers as float32; whoever asks looks for what did not fit."""
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit becomes infinite and is reported as such
        return values.astype(np.float32, copy=False)
