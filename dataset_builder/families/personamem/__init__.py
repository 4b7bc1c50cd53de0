"""PersonaMem: four-option questions over long chats in which preferences change."""
