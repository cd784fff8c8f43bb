-- Neovim (0.7 or newer) with `jitlint lsp` for Python files and no other configuration.
vim.o.number = true
vim.o.signcolumn = "yes"
vim.o.termguicolors = true
vim.o.laststatus = 2
vim.o.statusline = " %f %m%=%l:%v  %{%v:lua.Found()%} "
vim.o.background = "dark"
vim.keymap.set("n", "K", vim.lsp.buf.hover)
vim.cmd("syntax on")
vim.cmd("highlight Normal guibg=#1e2127 guifg=#c8ccd4")
vim.cmd("highlight SignColumn guibg=#1e2127")
vim.cmd("highlight LineNr guifg=#5c6370")
vim.cmd("highlight NormalFloat guibg=#2c313a guifg=#e6e6e6")
vim.cmd("highlight DiagnosticError guifg=#ff7a85")
vim.cmd("highlight DiagnosticWarn guifg=#e5c07b")
vim.cmd("highlight DiagnosticInfo guifg=#61afef")
vim.diagnostic.config({ virtual_text = { prefix = "■" }, severity_sort = true })

function Found()
  return "jitlint: " .. #vim.diagnostic.get(0)
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "python",
  callback = function(opened)
    local client = vim.lsp.start_client({
      name = "jitlint",
      cmd = { vim.env.JITLINT_PYTHON, "-m", "jitlint", "lsp" },
      root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(opened.buf, client)
  end,
})
