"""PersonaMem as a site: contexts as chats, questions at their places, the facts behind them."""
