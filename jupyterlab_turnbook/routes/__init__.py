"""The routes below `/turnbook/api`, one module per resource."""
