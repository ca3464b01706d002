"""Reads what a message asks the bot to do: the requester's own words in, requests with their slots and moods out."""
