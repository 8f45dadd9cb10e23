"""The declarations of a theory file on top of those of the library.

`file_environment.OwnContext` is the state that every command reads and extends.
"""
