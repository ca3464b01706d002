"""The database schema: numbered SQL files, immutable once released, applied in order by `gopher.store.schema`."""
