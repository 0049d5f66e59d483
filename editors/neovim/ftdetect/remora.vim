autocmd BufRead,BufNewFile *.rem set filetype=remora
autocmd BufRead,BufNewFile *.fut set filetype=futhark
autocmd BufRead,BufNewFile *.remc set filetype=remora-core
autocmd BufRead,BufNewFile *.apl set filetype=apl
