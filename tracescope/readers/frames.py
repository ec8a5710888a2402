"""One camera image at a time, read when it is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.trace import FrameStack
from tracescope.readers.hdf5_tools import elsewhere, open_hdf5, own_node

_BAD_PICTURE = (OSError, ValueError, SyntaxError)


def encoded_frame(stack: FrameStack, i: int) -> NDArray[np.uint8]:
    """Read what the file holds for frame ``i``: ``(h, w[, c])`` pixels, or the bytes of a picture ``(n,)``.

    Raises:
        IndexError: where there is no such frame.
        TraceReadError: where it cannot be read.
    """
    if not 0 <= i < stack.rows.size:
        raise IndexError(f"{stack.name} has {stack.rows.size} frames, not one numbered {i}")
    with open_hdf5(Path(stack.path)) as file:
        node = own_node(file, stack.dataset)
        if node is None or elsewhere(node):
            raise TraceReadError(Problem(f"dataset {stack.dataset} is gone", stack.path))
        raw = node[int(stack.rows[i])]
    if isinstance(raw, bytes):
        raw = np.frombuffer(raw, np.uint8)
    array = np.asarray(raw)
    if stack.encoding != "raw" and stack.lengths is not None:
        array = array[: int(stack.lengths[i])]
    return array.astype(np.uint8, copy=False)


def load_frame(stack: FrameStack, i: int) -> NDArray[np.uint8]:
    """Read one image.

    Args:
        stack: Where the images lie.
        i: Place in the stack, from 0.

    Returns:
        ``(h, w)`` grey, or ``(h, w, 3 or 4)`` red, green, blue (and alpha), uint8.

    Raises:
        IndexError: where there is no such frame.
        TraceReadError: where it cannot be read or is no picture.
    """
    raw = encoded_frame(stack, i)
    if stack.encoding == "raw":
        return raw[..., 0] if raw.ndim == 3 and raw.shape[2] == 1 else raw
    return _decoded(raw.tobytes(), stack, i)


def _decoded(data: bytes, stack: FrameStack, i: int) -> NDArray[np.uint8]:
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG")) as image:
            pixels: Any = image if image.mode in {"L", "RGB", "RGBA"} else image.convert("RGB")
            return np.asarray(pixels, dtype=np.uint8).copy()
    except (*_BAD_PICTURE, UnidentifiedImageError, Image.DecompressionBombError) as error:
        where = f"{stack.path}: {stack.dataset}, row {int(stack.rows[i])}"
        raise TraceReadError(
            Problem("the picture cannot be decoded", where, str(error)[:120])
        ) from error
