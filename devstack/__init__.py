"""The development stack: real servers from wheels, stand-ins for what only strangers run, and the supervisor of both."""
