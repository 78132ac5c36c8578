"""Adapters to engines. Each states how its engine differs from our conventions, and converts in one place."""
