"""Pairs of known truth; linear algebra on one thread a process, since pairs run side by side."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
