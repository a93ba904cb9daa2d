"""A model as a backend: the interface, the one on this machine, and the cache in front of one."""
