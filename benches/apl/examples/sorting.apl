⍝: sorting : [n]i64 -> [n]i64
sorting←{⍵[⍋⍵]}
