"""Declarations of every tool, a module a group."""
