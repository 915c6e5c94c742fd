"""The world -> Snapshot: files, API defaults, admission."""
