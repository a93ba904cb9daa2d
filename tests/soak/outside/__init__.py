"""Events around a server: what it stands on, what lies between it and its clients, who asks it."""
