"""What the endpoints do, independent of a protocol: requests read, searches shared, answers as JSON.

The main type is `service.Service`.
"""
