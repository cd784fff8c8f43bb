"""`jitlint lsp`: a language server. `README.md` says what runs in which process."""
