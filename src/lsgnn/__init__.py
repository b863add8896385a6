__version__ = "0.1.0"
from lsgnn.graph.graph import Graph
