"""Mutants: small edits of the product, which the tests are to notice. The bank is data, so that it measures before and after."""
