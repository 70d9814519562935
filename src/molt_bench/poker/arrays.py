"""The types of numpy's arrays, for annotations."""

from typing import Any, TypeAlias

import numpy as np

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
#: Of any numbers.
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
