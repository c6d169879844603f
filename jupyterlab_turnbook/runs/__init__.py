"""Runs: one attempt each, claimed in the journal, sent once, followed by any number of readers."""
