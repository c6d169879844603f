"""Derives the cells of replay records again, and the command that checks them."""
