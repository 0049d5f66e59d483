-- Files of remora are attached to `remora lsp`. Settings: vim.g.remora = { cmd = { "remora", "lsp" }, settings = {..} }.
if vim.g.loaded_remora then
  return
end
vim.g.loaded_remora = true

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "remora", "futhark", "remora-core", "apl" },
  callback = function(event)
    require("remora").attach(event.buf)
  end,
})
