"""The development stack: real servers from wheels, stand-ins for what strangers run, and their supervisor."""
