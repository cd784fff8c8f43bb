"""What a traced function changes and reads."""
