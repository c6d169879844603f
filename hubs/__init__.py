"""A real JupyterHub with its proxy, its culler and the servers of its users."""
