"""`jitlint lsp`: a language server. `README.md` says what happens in which process."""
