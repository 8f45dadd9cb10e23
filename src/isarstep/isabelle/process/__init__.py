"""A real Isabelle: finding an installation, driving its ML process, mining proof graphs.

The miner is written in Standard ML beside the Python modules. The main types are `installation.Installation`,
`ml_process.MLProcess` and `proof_graph.Proof`.
"""
