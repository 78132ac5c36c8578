"""Metamorphic relations: what must hold between the answers about a mechanism and those about a transformed one."""
