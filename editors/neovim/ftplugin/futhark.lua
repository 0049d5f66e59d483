vim.bo.commentstring = "-- %s"
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
