-- Opens a file as a person does, for tests: see editors.sh. It works with Neovim 0.7.
local out = {}
local file, cmd, result = os.getenv('HONE_FILE'), os.getenv('HONE_LSP'), os.getenv('HONE_RESULT')
vim.cmd('edit ' .. file)
local buf = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = 'hone', cmd = { cmd, 'lsp' }, root_dir = vim.fn.fnamemodify(file, ':h') })
vim.lsp.buf_attach_client(buf, client)
local function wait(what, is)
  if not vim.wait(60000, is, 50) then error('not within a minute: ' .. what) end
end
local ok, err = pcall(function()
  wait('a client', function() return vim.lsp.buf_get_clients(buf)[client] ~= nil end)
  wait('diagnostics', function() return #vim.diagnostic.get(buf) > 0 end)
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.code == 'regexp-per-call' then out.diagnostic, out.line = d.message, d.lnum end
  end
  vim.lsp.codelens.refresh()
  wait('lenses', function() return #vim.lsp.codelens.get(buf) > 0 end)
  out.lens = vim.lsp.codelens.get(buf)[1].command.title
  vim.api.nvim_win_set_cursor(0, { out.line + 1, 4 })
  local hover = vim.lsp.buf_request_sync(buf, 'textDocument/hover', vim.lsp.util.make_position_params(), 60000)
  out.hover = hover[client].result.contents.value
  vim.ui.select = function(items, _, choose) choose(items[1]) end
  local before = vim.api.nvim_buf_get_changedtick(buf)
  vim.lsp.buf.code_action({ only = { 'quickfix' } })
  wait('the rewrite', function() return vim.api.nvim_buf_get_changedtick(buf) ~= before end)
  vim.cmd('write')
end)
out.error = not ok and tostring(err) or nil
local f = io.open(result, 'w')
f:write(vim.json.encode(out))
f:close()
vim.lsp.stop_client(client)
vim.cmd('qall!')
