"""Reading the official second release: tables of queries, a chat history a persona and size."""
