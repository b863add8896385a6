"""What comes in: tables, PyG, networkx, scipy, npz → `Graph`, its splits and its homophily."""
