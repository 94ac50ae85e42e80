"""How dates and times are written, whatever the language says: as in ISO 8601."""
