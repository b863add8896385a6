"""The official equations of every model of the zoo, transcribed plainly: dense matrices, no code of the package.

One file per model, named after it. It holds

- `SETTINGS`: the configurations to check, those of the official code among them;
- `logits(w, graph, config)`: what the official code computes in evaluation mode from the weights w (the names are those
  of our state dict) and the graph as it is stored, up to a constant per node;
- `TRAINED = True` where the weights come from training, because nothing else makes them.
"""
