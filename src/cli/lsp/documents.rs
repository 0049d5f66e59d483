//! The documents that the client has open, and what is known about them.

use super::library::{self, Library};
use super::uri;
use crate::cli::files;
use crate::editor::Analysis;
use crate::editor::text::Document;
use crate::front::resolve::{Loader, normalise};
use lsp_types::Uri;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// A document that is open.
pub(super) struct Open {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) document: Document,
    /// Its name for the compiler.
    pub(super) name: String,
    /// Whether it is a file of the standard library, which is only looked at.
    pub(super) library: bool,
    /// What was found last.
    pub(super) analysis: Option<Rc<Analysis>>,
    /// The last program without errors: while something is being written, its types are those that are known.
    pub(super) accepted: Option<Rc<Analysis>>,
    /// Whether what was found last is about this text.
    pub(super) fresh: bool,
    /// Whether more can be said about it.
    pub(super) more: bool,
    /// Whether what was found has been sent.
    pub(super) published: bool,
}

/// All documents that are open, by address.
#[derive(Default)]
pub(super) struct Documents {
    pub(super) open: BTreeMap<String, Open>,
}

impl Documents {
    pub(super) fn insert(&mut self, library: &Library, uri: Uri, language: &str, version: i32, text: String) {
        let own = library.name_of(&uri);
        let library = own.is_some();
        let name = own.unwrap_or_else(|| uri::name_of(&uri, language));
        let document = Document::new(text);
        let key = uri.as_str().to_string();
        let open = Open {
            uri,
            version,
            document,
            name: normalise(&name),
            library,
            analysis: None,
            accepted: None,
            fresh: false,
            more: false,
            published: false,
        };
        self.touched(&open.name);
        self.open.insert(key, open);
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Open> {
        self.open.get(uri.as_str())
    }

    pub(super) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Open> {
        self.open.get_mut(uri.as_str())
    }

    /// A file of this name has another text: those that import it are to be checked again.
    pub(super) fn touched(&mut self, name: &str) {
        for open in self.open.values_mut() {
            let imports =
                |analysis: &Rc<Analysis>| analysis.sources.files().any(|(_, file)| file.name == name) || analysis.checked.failed();
            // What has an error may have it for want of that file.
            if open.name != name && open.fresh && open.analysis.as_ref().is_some_and(imports) {
                open.fresh = false;
                open.published = false;
            }
        }
    }

    /// The texts of all documents by name, as programs import them.
    pub(super) fn texts(&self) -> Texts<'_> {
        Texts { documents: self, read: RefCell::default() }
    }

    /// The name and the text of the program that is to be checked for a document, and whether it is the document itself.
    pub(super) fn program(open: &Open) -> (String, String) {
        if open.library {
            let (name, text) = library::program_with(&open.name);
            return (name.to_string(), text);
        }
        (open.name.clone(), open.document.text.clone())
    }
}

/// Reads imported files: documents that are open as they are in the editor, others from disk.
pub(super) struct Texts<'a> {
    documents: &'a Documents,
    /// What was read from disk for this program.
    read: RefCell<BTreeMap<String, Result<String, String>>>,
}

impl Loader for Texts<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        if let Some(open) = self.documents.open.values().find(|open| open.name == path) {
            return Ok(open.document.text.clone());
        }
        let mut read = self.read.borrow_mut();
        let load = || files::read_import(Path::new(path)).map_err(|diagnostic| diagnostic.message);
        read.entry(path.to_string()).or_insert_with(load).clone()
    }
}
