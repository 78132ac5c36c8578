"""Test vectors: files of states and correctly rounded answers, by which code in any language is judged."""
