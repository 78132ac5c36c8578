"""Whether two mechanisms are one robot (docs/same.md)."""
