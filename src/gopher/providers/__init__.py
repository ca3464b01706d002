"""Providers of models and of web research: each module wraps one SDK and raises only the project's errors."""
