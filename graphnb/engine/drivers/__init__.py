"""The drivers: how requests of the core become calls, in this thread, on others, or in an event loop."""
