"""The adapter to Drake."""
