"""Chats for people without Turnbook: who said what, as Markdown or as one HTML page."""
