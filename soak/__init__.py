"""Random use for a long time: what was promised still holds, and nothing is left behind."""
