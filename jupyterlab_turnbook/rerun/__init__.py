"""Sends the requests of replay records again: ``jupyter turnbook rerun``."""
