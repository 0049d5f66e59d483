//! Renaming in all documents that are open.

use super::documents::Texts;
use super::requests::{Answer, changes, write};
use super::server::{Failure, Server};
use crate::base::Span;
use crate::editor::{Analysis, navigate, rename};
use crate::front::resolve::Loader;
use lsp_server::ErrorCode;
use lsp_types::{RenameParams, TextDocumentPositionParams, Uri};
use serde_json::json;
use std::collections::BTreeMap;
use std::rc::Rc;

fn refused(message: String) -> Failure {
    Failure { code: ErrorCode::RequestFailed, message }
}

pub(super) fn prepare(server: &mut Server, place: TextDocumentPositionParams) -> Answer {
    let analysis = server.analysis(&place.text_document.uri)?;
    let (range, placeholder) = rename::prepare(&analysis, place.position).map_err(refused)?;
    Ok(json!({ "range": range, "placeholder": placeholder }))
}

/// A document with its changes.
struct Changed {
    uri: Uri,
    program: Rc<Analysis>,
    edits: Vec<(Span, String)>,
}

pub(super) fn rename(server: &mut Server, params: RenameParams) -> Answer {
    let place = params.text_document_position;
    let own = server.analysis(&place.text_document.uri)?;
    let (_, old) = rename::prepare(&own, place.position).map_err(refused)?;
    let new = params.new_name.as_str();
    rename::fits(&old, new).map_err(refused)?;
    let things = navigate::things(&own, place.position);
    let mut changed = Vec::new();
    for (uri, program) in server.all() {
        let there: Vec<Span> = things.iter().filter_map(|span| navigate::in_program(*span, &own, &program)).collect();
        let edits = rename::edits(&program, &there, &old, new);
        if !edits.is_empty() {
            changed.push(Changed { uri, program, edits });
        }
    }
    let open = |span: &Span| {
        let name = &own.sources.file(span.file).name;
        changed.iter().any(|document| document.program.sources.file(document.program.file).name == *name)
    };
    if let Some(span) = things.iter().find(|span| !open(span)) {
        let file = &own.sources.file(span.file).name;
        return Err(refused(format!("`{old}` is declared in `{file}`: open it first, so that it is changed too")));
    }
    let texts = New { others: server.documents.texts(), changed: texts(&changed) };
    for document in &changed {
        rename::keeps_meaning(&document.program, &document.edits, new, &texts).map_err(refused)?;
    }
    let edits = changed.iter().map(|document| (document.uri.as_str().to_string(), rename::text_edits(&document.program, &document.edits)));
    write(changes(edits.collect()))
}

fn texts(changed: &[Changed]) -> BTreeMap<String, String> {
    let text = |document: &Changed| {
        let name = document.program.sources.file(document.program.file).name.clone();
        (name, rename::apply(document.program.text(), &document.edits))
    };
    changed.iter().map(text).collect()
}

/// The texts of files as they will be.
struct New<'a> {
    others: Texts<'a>,
    changed: BTreeMap<String, String>,
}

impl Loader for New<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        self.changed.get(path).map_or_else(|| self.others.load(path), |text| Ok(text.clone()))
    }
}
