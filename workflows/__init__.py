"""Durable orders of activities: timers, signals and limits, and nothing else."""
