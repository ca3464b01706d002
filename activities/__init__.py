"""Side effects of workflows: each activity does one, can run twice, and receives its I/O in the constructor."""
