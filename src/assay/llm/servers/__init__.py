"""A model's server measured: its pace at several concurrencies, its prefix cache, its features."""
