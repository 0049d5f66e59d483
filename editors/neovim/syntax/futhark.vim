runtime! syntax/remora.vim
