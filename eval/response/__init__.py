"""Trajectories of the response agent: which tools it calls, in what order and with what, and what its drafts say."""
