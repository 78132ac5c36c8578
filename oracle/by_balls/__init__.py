"""Truth that is not rational in sines and cosines of q: computed over FLINT's balls."""
