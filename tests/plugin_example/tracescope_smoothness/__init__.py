"""How smoothly both sides are commanded, and a tiny text format to read traces from."""
