"""Replay records: their cells derived again, and the command that checks them."""
