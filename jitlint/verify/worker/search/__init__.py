"""The search for what to run, and with which inputs."""
