# Build the frozen application on Windows, from the same spec as on Linux.
# UNTESTED: written to the same recipe, never run by us. Needs Python 3.11 or newer (the `py` launcher).
#   powershell -ExecutionPolicy Bypass -File packaging\windows\build.ps1
$ErrorActionPreference = "Stop"
$root = Resolve-Path (Join-Path $PSScriptRoot "..\..")
$venv = Join-Path $root ".venv-build"
if (-not (Test-Path (Join-Path $venv "Scripts\python.exe"))) { py -3 -m venv $venv }
$python = Join-Path $venv "Scripts\python.exe"
& $python -m pip install --quiet -c (Join-Path $root "packaging\constraints.txt") "$root[ros,filters,parquet,app]"
if ($LASTEXITCODE) { exit $LASTEXITCODE }
& $python (Join-Path $root "packaging\app\build.py") @args
exit $LASTEXITCODE
