"""Gopher: a durable Discord agent that remembers, forgets when told, and can show why it said what it said."""

__version__ = "0.1.0"
