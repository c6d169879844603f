"""Faults, injected and counted: real servers, a client like the page, a provider that does as told."""
