//! The pages: HTML with a style sheet and a list of all names to search in beside it.

use super::File;
use crate::editor::document::{Item, Kind, Part};
use crate::front::explicit::html::escaped;
use std::collections::HashMap;
use std::fmt::Write;

/// How the pages look.
pub(super) const STYLE: &str = include_str!("style.css");
const SEARCH: &str = include_str!("search.js");

/// Where types and modules are described: the page and the place there, by path.
pub(super) struct Names<'a>(HashMap<&'a str, (&'a str, &'a str)>);

impl<'a> Names<'a> {
    /// Those of all files; of the same path in two the first counts.
    pub(super) fn of(files: &'a [File]) -> Names<'a> {
        fn add<'a>(items: &'a [Item], page: &'a str, names: &mut HashMap<&'a str, (&'a str, &'a str)>) {
            for item in items {
                if item.kind != Kind::Value {
                    names.entry(&item.path).or_insert((page, &item.anchor));
                }
                add(&item.items, page, names);
            }
        }
        let mut names = HashMap::new();
        files.iter().for_each(|file| add(&file.items, &file.page, &mut names));
        Names(names)
    }

    /// A type or a declaration in which the names of types and modules that are described are links; `path` is where it stands.
    fn linked(&self, text: &str, path: &str) -> String {
        let part = |c: char| c.is_alphanumeric() || ['_', '\'', '.'].contains(&c);
        let (mut out, mut rest) = (String::new(), text);
        while let Some(start) = rest.find(|c: char| c.is_alphabetic()) {
            out += &escaped(&rest[..start]);
            let word = &rest[start..];
            let end = word.find(|c: char| !part(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            match self.find(word, path) {
                Some((name, (page, anchor))) if name != path => {
                    _ = write!(out, "<a href=\"{page}#{}\">{}</a>", fragment(anchor), escaped(word));
                }
                _ => out += &escaped(word),
            }
            rest = after;
        }
        out + &escaped(rest)
    }

    /// What a word means at a place: a name of the modules around it, the innermost first.
    fn find(&self, word: &str, path: &str) -> Option<(String, (&'a str, &'a str))> {
        let mut around = path;
        loop {
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
            let name = if around.is_empty() { word.to_string() } else { format!("{around}.{word}") };
            if let Some(found) = self.0.get(name.as_str()) {
                return Some((name, *found));
            }
            if around.is_empty() {
                return None;
            }
        }
    }
}

/// The page of a file.
pub(super) fn page(file: &File, names: &Names) -> String {
    let mut body = format!("<p><a href=\"index.html\">All pages</a></p>\n<h1><code>{}</code></h1>\n", escaped(&file.name));
    parts(&file.about, &mut body);
    contents(&file.items, &mut body);
    file.items.iter().for_each(|item| section(item, names, &mut body));
    whole(&file.name, &body)
}

/// The first page.
pub(super) fn index(files: &[File]) -> String {
    let mut body = String::from("<h1>Contents</h1>\n");
    for file in files {
        _ = writeln!(body, "<h2><a href=\"{}\"><code>{}</code></a></h2>", file.page, escaped(&file.name));
        parts(&file.about, &mut body);
    }
    whole("Contents", &body)
}

/// All names for the search, and the search itself.
pub(super) fn search(files: &[File]) -> String {
    fn add(items: &[Item], page: &str, out: &mut Vec<[String; 3]>) {
        for item in items {
            let first = item.doc.iter().find_map(|part| if let Part::Text(text) = part { Some(text.clone()) } else { None });
            out.push([item.path.clone(), format!("{page}#{}", item.anchor), first.unwrap_or_default()]);
            add(&item.items, page, out);
        }
    }
    let mut all = Vec::new();
    files.iter().for_each(|file| add(&file.items, &file.page, &mut all));
    // A script ends where its text says so, whatever is around it.
    let json = serde_json::to_string(&all).unwrap_or_else(|_| "[]".to_string()).replace("</", "<\\/");
    format!("const items = {json};\n{SEARCH}")
}

fn whole(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title><link rel=\"stylesheet\" href=\"style.css\"></head>\n<body>\n\
         <p><label for=\"search\">Search</label> <input id=\"search\" type=\"search\"></p>\n<ul id=\"found\" aria-live=\"polite\"></ul>\n\
         <main>\n{body}</main>\n<script src=\"search.js\"></script>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// The name of a place as it stands behind `#` in an address: names of operators have characters that mean something there.
fn fragment(anchor: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte);
    anchor.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A list of names.
fn contents(items: &[Item], out: &mut String) {
    if items.is_empty() {
        return;
    }
    out.push_str("<ul class=\"names\">\n");
    for item in items {
        _ = writeln!(out, "<li><a href=\"#{}\"><code>{}</code></a></li>", fragment(&item.anchor), escaped(&item.name));
    }
    out.push_str("</ul>\n");
}

fn section(item: &Item, names: &Names, out: &mut String) {
    let kind = match item.kind {
        Kind::Value => "",
        Kind::Type => " <span class=\"kind\">type</span>",
        Kind::Module => " <span class=\"kind\">module</span>",
        Kind::ModuleType => " <span class=\"kind\">module type</span>",
    };
    let (path, anchor) = (escaped(&item.path), escaped(&item.anchor));
    _ = writeln!(out, "<section id=\"{anchor}\" aria-label=\"{path}\">\n<h3><code>{path}</code>{kind}</h3>");
    _ = writeln!(out, "<pre>{}</pre>", names.linked(&item.signature, &item.path));
    parts(&item.doc, out);
    if item.items.is_empty() && item.source.trim() != item.signature {
        _ = writeln!(
            out,
            "<details><summary>Source <span class=\"line\">line {}</span></summary><pre>{}</pre></details>",
            item.line,
            escaped(&item.source)
        );
    }
    contents(&item.items, out);
    item.items.iter().for_each(|item| section(item, names, out));
    out.push_str("</section>\n");
}

fn parts(parts: &[Part], out: &mut String) {
    for part in parts {
        match part {
            Part::Text(text) => _ = writeln!(out, "<p>{}</p>", with_code(text)),
            Part::Example { expression, results, .. } => {
                _ = writeln!(out, "<pre class=\"example\">{}</pre>", escaped(expression));
                if !results.is_empty() {
                    _ = writeln!(out, "<pre class=\"results\">{}</pre>", escaped(results));
                }
            }
        }
    }
}

/// A paragraph, in which words between backquotes are code.
fn with_code(text: &str) -> String {
    let count = text.matches('`').count();
    let word = |(k, word): (usize, &str)| match (k % 2 == 1, k < count || count.is_multiple_of(2)) {
        (true, true) => format!("<code>{}</code>", escaped(word)),
        // The last quote has no other.
        (true, false) => format!("`{}", escaped(word)),
        (false, _) => escaped(word),
    };
    text.split('`').enumerate().map(word).collect()
}
