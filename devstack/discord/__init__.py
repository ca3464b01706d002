"""The simulated Discord: people, guilds and messages behind Discord's own gateway and REST."""
