-- Starts `remora lsp` and attaches buffers to it. For Neovim 0.7 and newer.
local M = {}

local client

local function on_attach(_, buffer)
  -- Since 0.10.
  if vim.lsp.inlay_hint then
    pcall(vim.lsp.inlay_hint.enable, true, { bufnr = buffer })
  end
end

--- Attaches a buffer to the server, which is started for the first one.
function M.attach(buffer)
  local own = vim.g.remora or {}
  local options = {
    name = "remora",
    cmd = own.cmd or { "remora", "lsp" },
    root_dir = vim.fn.getcwd(),
    settings = { remora = own.settings or vim.empty_dict() },
    init_options = own.settings or vim.empty_dict(),
    on_attach = on_attach,
    on_exit = function()
      client = nil
    end,
  }
  if vim.lsp.start then
    vim.lsp.start(options, { bufnr = buffer })
    return
  end
  client = client or vim.lsp.start_client(options)
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

return M
