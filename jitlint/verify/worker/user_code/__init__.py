"""The user's code as text and as loaded modules: what a probe asks for, and what must run of a module's top level."""
