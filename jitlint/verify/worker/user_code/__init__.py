"""The user's code: probes and their places, functions as text, and which statements of a module a job must run."""
