"""Notes about mail: what a note says, and the port of the vault that keeps them."""
