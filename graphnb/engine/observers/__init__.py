"""Telling observers what happens, and waiting until they were told."""
