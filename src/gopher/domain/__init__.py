"""Pure decisions: values in, values out; nothing here waits, reads a clock, draws a random number, or logs."""
