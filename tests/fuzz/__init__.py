"""The long tests: random cases for minutes, from a seed, with a limit on the time of each case.

``python -m tests.fuzz --minutes 5 --seed 1 --parts models,readers`` runs some parts; ``make fuzz`` runs all.
Each part is a module with a function ``case(draw)`` that raises where a promise of the package does not hold.
A case depends on the seed, the name of its part and its number alone. It runs in a worker process (`pool.py`)
that is killed when it does not answer in time. A case that fails is written to ``out/fuzz`` with the line
that repeats it.
"""
