"""Writers: a session plan in, messages out."""
