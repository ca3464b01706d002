"""SQL beside its reader: one module a table family, rows in and records out."""
