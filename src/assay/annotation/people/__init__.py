"""The people of a studio: accounts, passwords, sessions, invitations, members."""
