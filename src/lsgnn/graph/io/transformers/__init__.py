"""Columns of a table → columns of x, one file per kind.

A transformer is fitted to the nodes of one graph, without their labels, and then applied as it is to other graphs and
to new nodes. All are frozen dataclasses of plain values, which become JSON and back without a pickle.
"""
