"""The report over many runs: the tables and figures of the paper, the leaderboard, a page with pictures."""
