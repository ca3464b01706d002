"""What `./gopher doctor` looks at, one module a part; each has `examine(settings)` and changes nothing."""
