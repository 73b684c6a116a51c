#!/usr/bin/env bash
# Test the installed native classes where not every package has wheels: .github/test_native.sh PYTHON [scikit-learn]
set -euo pipefail
cd "$(dirname "$0")/.."
"$1" -m pip install --only-binary :all: numpy scipy pandas joblib hypothesis pytest "${@:2}"
# The modules of tests that need other packages are left out, and without scikit-learn those that use an estimator.
others='^(import|from) (polars|pyarrow)'
if [ $# = 1 ]; then
    others+='|sklearn|estimators|make_estimator|Budget(MIRA|Perceptron)|(OnlineKernel|BSGD|BPA)(Classifier|Regressor)'
fi
{ grep -LE "$others" tests/python/native/test_*.py || true; } | xargs "$1" -m pytest
