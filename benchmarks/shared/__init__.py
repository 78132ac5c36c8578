"""What both derivations and every adapter take from mechanisms/, made wrong in one thing at a time: who notices?"""
