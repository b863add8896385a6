"""The best answer on your own graph: a search over all models under one budget, and an ensemble of the best.

`fit` is the public `lsgnn.fit`. For `model="auto"` it asks `best_answer`, which searches (`search`, by processes of
`worker`, until its `budget` is used up or more trials stop paying, `settled`), keeps a `journal`, chooses an ensemble
(`blending`) and returns what becomes a `Blend`, a `Run` like any.
"""
