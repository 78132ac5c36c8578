"""Other coordinates: conventions, orders and limits of q, v, a and τ."""
