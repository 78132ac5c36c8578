"""Recorded data: files with states and answers that were made elsewhere, judged like any other implementation."""
