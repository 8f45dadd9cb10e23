"""The HTTP interface and its page."""
