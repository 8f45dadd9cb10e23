"""Automated provers as contained processes, their schedule and their derivations.

The main types are `provers.Provers` and `provers.Strategy`.
"""
