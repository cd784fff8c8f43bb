"""Finding what to run and with which inputs."""
