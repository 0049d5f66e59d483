-- Run by test.sh in a Neovim without a screen; ends it with an exit code.
local function fail(text)
  io.stderr:write("editors/neovim-test.lua: " .. text .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, text)
  if not condition then
    fail(text)
  end
end

local function run()
  check(vim.bo.filetype == "remora", "the type of the file is " .. vim.bo.filetype)
  local function ask(method, params)
    local answers, problem = vim.lsp.buf_request_sync(0, method, params, 60000)
    check(answers and next(answers), method .. ": " .. tostring(problem))
    local _, answer = next(answers)
    check(not answer.error, method .. ": " .. vim.inspect(answer.error))
    return answer.result
  end
  check(vim.wait(60000, function()
    local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
    return #clients > 0 and clients[1].initialized
  end), "the server does not start")
  local document = vim.lsp.util.make_text_document_params()
  local hints = ask("textDocument/inlayHint", {
    textDocument = document,
    range = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } },
  })
  local labels = {}
  for _, hint in ipairs(hints) do
    table.insert(labels, hint.label)
  end
  local text = table.concat(labels, " ")
  check(text == ": f64 map : [n][m]f64 map² map²", "the hints are " .. text)
  local hover = ask("textDocument/hover", { textDocument = document, position = { line = 3, character = 58 } })
  check(hover.contents.value:find("The length of a vector", 1, true), vim.inspect(hover))
  -- The definition of `norm`, from where it is applied; then all of its places get another name.
  local text_before = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  local at = vim.fn.searchpos("/ norm v", "nwe")
  vim.api.nvim_win_set_cursor(0, { at[1], at[2] - 3 })
  vim.lsp.buf.definition()
  check(vim.wait(60000, function()
    local line = vim.api.nvim_win_get_cursor(0)[1]
    return line ~= at[1] and vim.api.nvim_get_current_line():find("def norm", 1, true) == 1
  end), "the cursor does not go to the definition")
  vim.lsp.buf.rename("length'")
  check(vim.wait(60000, function()
    local now = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    return now == text_before:gsub("norm", "length'") and now ~= text_before
  end), "the definition is not renamed")
  vim.cmd("silent undo")
  -- What is wrong is said while it is written.
  vim.api.nvim_buf_set_lines(0, 4, 4, false, { "def wrong (x: i64) = x + y" })
  check(vim.wait(60000, function()
    return #vim.diagnostic.get(0) == 1
  end), "no diagnostic comes")
  check(vim.diagnostic.get(0)[1].message:find("unknown name `y`", 1, true), vim.inspect(vim.diagnostic.get(0)))
  vim.api.nvim_buf_set_lines(0, 4, 5, false, {})
  check(vim.wait(60000, function()
    return #vim.diagnostic.get(0) == 0
  end), "the diagnostic stays")
  print("Neovim shows hints, hover and diagnostics of remora lsp, goes to a definition and renames it\n")
  vim.cmd("qall!")
end

local fine, problem = pcall(run)
if not fine then
  fail(tostring(problem))
end
