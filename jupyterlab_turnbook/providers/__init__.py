"""The providers a user can choose, their keys and their models."""
