"""What JAX users write, one subject a file."""
