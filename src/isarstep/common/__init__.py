"""Functions that every part of the package uses and that know nothing about Isabelle or learning.

`errors.UserError` is the exception for mistakes of the caller; `files` writes files atomically and hashes them;
`disk_cache` and `memo` keep computed values; `cancellation` ends work in a thread; `progress` and `tables` print.
"""
