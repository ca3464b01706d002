"""Discord: the only package that knows its library; events in, messages out."""
