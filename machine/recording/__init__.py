"""Records what an algorithm does with arrays, and makes a program of it."""
