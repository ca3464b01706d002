"""The REST side of the simulated Discord: its border, and the routes by subject."""
