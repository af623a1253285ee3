"""Everything that judges: one protocol, one registry, and combinators around both."""
