//! A document as Markdown, or as a page for a browser.

use crate::front::explicit::html::escaped;
use pulldown_cmark::{Event, Options, Parser, html};
use std::fmt::Write;

/// A part of a finished document.
pub enum Block {
    /// Markdown.
    Text(String),
    /// A program.
    Code(String),
    /// What is asked for, with the text that is the answer.
    Answer {
        /// The expression.
        question: String,
        /// Its value.
        answer: String,
    },
    /// The same with a table: the rows, the first of which has names if `named`.
    Table {
        /// The expression.
        question: String,
        /// The cells.
        rows: Vec<Vec<String>>,
        /// Whether the first row has names.
        named: bool,
    },
    /// The same with a picture: its text, in SVG.
    Picture {
        /// The expression.
        question: String,
        /// The picture.
        svg: String,
    },
}

const STYLE: &str = include_str!("style.css");

/// Markdown, and the files beside it: names and contents. `folder` is where they are, seen from the document.
pub fn markdown(blocks: &[Block], folder: &str) -> (String, Vec<(String, String)>) {
    let (mut out, mut pictures) = (String::new(), Vec::new());
    for block in blocks {
        match block {
            Block::Text(text) => _ = writeln!(out, "{text}\n"),
            Block::Code(code) => _ = writeln!(out, "{}\n", fenced(code, "remora")),
            Block::Answer { question, answer } => _ = writeln!(out, "{}\n\n{}\n", fenced(question, "remora"), fenced(answer, "")),
            Block::Table { question, rows, named } => {
                _ = writeln!(out, "{}\n\n{}", fenced(question, "remora"), table(rows, *named));
            }
            Block::Picture { question, svg } => {
                let name = format!("{}.svg", pictures.len() + 1);
                _ = writeln!(out, "{}\n\n![](<{folder}/{name}>)\n", fenced(question, "remora"));
                pictures.push((name, svg.clone()));
            }
        }
    }
    (out, pictures)
}

/// A page that needs nothing else. HTML in the text is shown as it is written.
pub fn page(title: &str, blocks: &[Block]) -> String {
    let mut body = String::new();
    for block in blocks {
        match block {
            Block::Text(text) => {
                let plain = |event| match event {
                    Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
                    other => other,
                };
                html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES).map(plain));
            }
            Block::Code(code) => pre(code, "code", &mut body),
            Block::Answer { question, answer } => {
                pre(question, "question", &mut body);
                pre(answer, "answer", &mut body);
            }
            Block::Table { question, rows, named } => {
                pre(question, "question", &mut body);
                html_table(rows, *named, &mut body);
            }
            Block::Picture { question, svg } => {
                pre(question, "question", &mut body);
                _ = writeln!(body, "<figure>{}</figure>", svg.trim());
            }
        }
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style></head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

fn pre(text: &str, class: &str, out: &mut String) {
    _ = writeln!(out, "<pre class=\"{class}\">{}</pre>", escaped(text));
}

/// A block of Markdown in which nothing ends it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn table(rows: &[Vec<String>], named: bool) -> String {
    let width = rows.first().map_or(0, Vec::len);
    let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
    let (head, rest) = if named { rows.split_at(1.min(rows.len())) } else { rows.split_at(0) };
    let names = head.first().cloned().unwrap_or_else(|| vec![String::new(); width]);
    let rule = format!("|{}\n", " --- |".repeat(width));
    line(&names) + &rule + &rest.iter().map(|row| line(row)).collect::<String>()
}

fn html_table(rows: &[Vec<String>], named: bool, out: &mut String) {
    out.push_str("<table>\n");
    for (k, row) in rows.iter().enumerate() {
        let cell = if named && k == 0 { "th" } else { "td" };
        let cells = row.iter().map(|text| format!("<{cell}>{}</{cell}>", escaped(text))).collect::<String>();
        _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</table>\n");
}
