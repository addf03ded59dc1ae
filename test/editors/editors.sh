#!/bin/sh
# Editors for tests, as Debian has them.
#
#	editors.sh install               installs neovim, emacs-nox and elpa-eglot if they are missing
#	editors.sh run NAME FILE LSP OUT has an editor, nvim or emacs, open FILE with the language server LSP,
#	                                 apply the first rewrite, save the file, and write what it saw to OUT
#
# They are installed where CI=true and apt-get may do it. Exit code 3 says that one is missing.
set -eu
here=$(dirname "$0")
. "$here/../debian.sh"

case ${1:-} in
install)
	command -v nvim >/dev/null && command -v emacs >/dev/null && [ -n "$(ls -d /usr/share/emacs/site-lisp/elpa/eglot-* 2>/dev/null)" ] && exit
	install neovim emacs-nox elpa-eglot
	;;
run)
	export HONE_FILE="$3" HONE_LSP="$4" HONE_RESULT="$5"
	case $2 in
	nvim) exec nvim --headless -u NONE -i NONE -c "luafile $here/nvim.lua" ;;
	emacs) exec emacs --batch -q -l "$here/emacs.el" ;;
	esac
	exit 2
	;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
