"""What edits take apart, and put together: loops of JAX, scopes, arguments, templates."""
