"""`python -m eval.resolution`: how mentions of products are resolved, on a generated catalogue and labelled mentions.

Thresholds are chosen on `dev` and reported on `test`, whose makers, things, features and phrases are others.
"""

from eval.resolution.measure import main

if __name__ == "__main__":
    main()
