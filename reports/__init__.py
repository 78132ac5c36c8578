"""Turns results into pages and files that people read: HTML, JUnit, Markdown, and the terminal."""
