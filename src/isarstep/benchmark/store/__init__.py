"""Benchmark folders: layout, integrity, tables that are read lazily, and the example itself.

The main types are `store.Benchmark`, `store.Split` and `example.Example`.
"""
