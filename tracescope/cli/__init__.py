"""The command line. One BLAS thread: the checks' matrices are small, and threads cost more than they bring."""

import os

# Read by the numerical libraries when they load, which is later than this.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
