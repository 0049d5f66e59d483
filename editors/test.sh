#!/bin/sh
# Neovim, without a screen, opens a program, and what the language server says is looked at; so are, in Chromium, Monaco with the server behind it and
# the pages that `remora` writes, of which screenshots are put into the folder PICTURES if there is that variable. Usage: editors/test.sh [REMORA]
set -eu
here=$(dirname "$(realpath "$0")")
remora=$(realpath "${1:-$here/../target/release/remora}")
pictures=${PICTURES:+$(realpath -m "$PICTURES")}
cd "$here"
[ -x "$remora" ] || { echo "there is no $remora" >&2; exit 1; }
if command -v node > /dev/null; then
  node vscode/check.js
else
  echo "SKIPPED: the extension for Visual Studio Code is not checked: there is no node" >&2
fi
python3 pages.py "$remora" ${pictures:+"$pictures"}
python3 monaco.py "$remora" ${pictures:+"$pictures"}
if ! command -v nvim > /dev/null; then
  echo "SKIPPED: Neovim is not there (apt-get install neovim)" >&2
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp neovim-test.rem "$folder/test.rem"
export REMORA="$remora" REMORA_CACHE="$folder/cache" XDG_STATE_HOME="$folder/state" XDG_DATA_HOME="$folder/data" XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache"
timeout 120 nvim --headless --clean --cmd "set runtimepath^=$PWD/neovim" --cmd "lua vim.g.remora = { cmd = { vim.env.REMORA, 'lsp' } }" -c "luafile $PWD/neovim-test.lua" "$folder/test.rem"
