"""The one exception for mistakes that the person at the keyboard can mend."""


class UserError(Exception):
    """What was wrong, where, and what to do, in one line."""


NEEDS_TORCH = "needs torch: pip install 'isarstep[train]'"
