"""What every family builds on: configuration, random streams, tokens, grammar, parallel work."""
