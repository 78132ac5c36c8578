"""The equations of the five texts. Each one is proven or refuted."""
