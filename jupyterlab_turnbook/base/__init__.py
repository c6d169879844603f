"""Shared by providers and runs; imports no other package of Turnbook."""
