//! What is answered to which request.

use super::server::{Failure, Server};
use super::uri;
use crate::base::Span;
use crate::editor::{
    Analysis, actions, complete, diagnostics, format, hints, hover, navigate, ranges, rewrite, signature, symbols, tokens,
};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CompletionParams, DocumentFormattingParams, DocumentRangeFormattingParams,
    DocumentSymbolParams, FoldingRangeParams, InlayHint, InlayHintParams, Location, Range, ReferenceParams, RenameParams,
    SelectionRangeParams, SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams, TextDocumentPositionParams,
    TextDocumentSyncKind, TextEdit, Uri, WorkspaceEdit, WorkspaceSymbolParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) type Answer = Result<Value, Failure>;

/// What the server can do.
pub(super) fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": TextDocumentSyncKind::INCREMENTAL },
        "inlayHintProvider": { "resolveProvider": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "completionProvider": { "triggerCharacters": [".", "\"", "/", "#", "`"] },
        "signatureHelpProvider": { "triggerCharacters": [" "] },
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor.rewrite"], "resolveProvider": true },
        "semanticTokensProvider": {
            "legend": { "tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS },
            "full": true,
            "range": true,
        },
    })
}

/// The answer to a request.
pub(super) fn answer(server: &mut Server, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/inlayHint" => {
            let params: InlayHintParams = read(params)?;
            let kinds = server.settings.inlay_hints;
            let analysis = server.analysis(&params.text_document.uri)?;
            let mut hints = hints::hints(&analysis, params.range, kinds);
            hints.iter_mut().filter_map(|hint| hint.data.as_mut()).for_each(|data| data["uri"] = json!(params.text_document.uri));
            write(hints)
        }
        "inlayHint/resolve" => {
            let hint: InlayHint = read(params)?;
            match uri_in(hint.data.as_ref()) {
                Some(uri) => write(hints::resolve(&*server.analysis(&uri)?, hint)),
                None => write(hint),
            }
        }
        "textDocument/hover" => at(server, params, |_, analysis, place| Ok(json!(hover::hover(&analysis, place.position)))),
        "textDocument/definition" => at(server, params, |server, analysis, place| {
            write(server.locations(&analysis, &navigate::definition(&analysis, place.position)))
        }),
        "textDocument/documentHighlight" => at(server, params, |_, analysis, place| write(navigate::highlights(&analysis, place.position))),
        "textDocument/signatureHelp" => {
            at(server, params, |_, analysis, place| write(signature::signature_help(&analysis, place.position)))
        }
        "textDocument/references" => references(server, read(params)?),
        "textDocument/prepareRename" => super::renaming::prepare(server, read(params)?),
        "textDocument/rename" => super::renaming::rename(server, read::<RenameParams>(params)?),
        "textDocument/documentSymbol" => {
            let params: DocumentSymbolParams = read(params)?;
            write(symbols::document_symbols(&*server.analysis(&params.text_document.uri)?))
        }
        "workspace/symbol" => workspace_symbols(server, &read::<WorkspaceSymbolParams>(params)?.query),
        "textDocument/completion" => completion(server, read(params)?),
        "textDocument/foldingRange" => {
            let params: FoldingRangeParams = read(params)?;
            write(ranges::folding(&*server.analysis(&params.text_document.uri)?))
        }
        "textDocument/selectionRange" => {
            let params: SelectionRangeParams = read(params)?;
            let analysis = server.analysis(&params.text_document.uri)?;
            write(params.positions.iter().map(|position| ranges::selection(&analysis, *position)).collect::<Vec<_>>())
        }
        "textDocument/formatting" => {
            let params: DocumentFormattingParams = read(params)?;
            formatted(server, &params.text_document.uri, None)
        }
        "textDocument/rangeFormatting" => {
            let params: DocumentRangeFormattingParams = read(params)?;
            formatted(server, &params.text_document.uri, Some(params.range))
        }
        "textDocument/codeAction" => code_actions(server, read(params)?),
        "codeAction/resolve" => {
            let action = read(params)?;
            write(resolved(server, action)?)
        }
        "textDocument/semanticTokens/full" => {
            let params: SemanticTokensParams = read(params)?;
            let analysis = server.analysis(&params.text_document.uri)?;
            write(SemanticTokens { result_id: None, data: tokens::tokens(&analysis, None) })
        }
        "textDocument/semanticTokens/range" => {
            let params: SemanticTokensRangeParams = read(params)?;
            let analysis = server.analysis(&params.text_document.uri)?;
            let part = analysis.span(params.range);
            write(SemanticTokens { result_id: None, data: tokens::tokens(&analysis, Some(part)) })
        }
        "remora/libraryText" => library_text(server, &params),
        _ => Err(Failure { code: ErrorCode::MethodNotFound, message: format!("there is no request `{method}`") }),
    }
}

pub(super) fn read<P: DeserializeOwned>(params: Value) -> Result<P, Failure> {
    serde_json::from_value(params).map_err(|error| Failure { code: ErrorCode::InvalidParams, message: error.to_string() })
}

pub(super) fn write(result: impl serde::Serialize) -> Answer {
    serde_json::to_value(result).map_err(|error| Failure { code: ErrorCode::InternalError, message: error.to_string() })
}

type Program = std::rc::Rc<Analysis>;

/// What is asked about a place of a document.
fn at(server: &mut Server, params: Value, answer: impl FnOnce(&mut Server, Program, TextDocumentPositionParams) -> Answer) -> Answer {
    let place: TextDocumentPositionParams = read(params)?;
    let analysis = server.analysis(&place.text_document.uri)?;
    answer(server, analysis, place)
}

/// The document that data of ours names.
fn uri_in(data: Option<&Value>) -> Option<Uri> {
    data?.get("uri")?.as_str()?.parse().ok()
}

impl Server {
    /// Places of a program as the protocol has them.
    fn locations(&self, analysis: &Analysis, spans: &[Span]) -> Vec<Location> {
        let location = |span: &Span| {
            let uri = self.uri_of(analysis, &analysis.sources.file(span.file).name)?;
            Some(Location::new(uri, analysis.range(*span)))
        };
        spans.iter().filter_map(location).collect()
    }

    /// What is known about each document that is open.
    pub(super) fn all(&mut self) -> Vec<(Uri, Program)> {
        let uris: Vec<Uri> = self.documents.open.values().map(|open| open.uri.clone()).collect();
        uris.into_iter().filter_map(|uri| self.analysis(&uri).ok().map(|analysis| (uri, analysis))).collect()
    }
}

fn formatted(server: &mut Server, uri: &Uri, within: Option<Range>) -> Answer {
    let edits = format::edits(&*server.analysis(uri)?, within);
    write(edits.map_err(|message| Failure { code: ErrorCode::RequestFailed, message })?)
}

fn references(server: &mut Server, params: ReferenceParams) -> Answer {
    let place = params.text_document_position;
    let own = server.analysis(&place.text_document.uri)?;
    let things = navigate::things(&own, place.position);
    let mut out: Vec<Location> = Vec::new();
    for (uri, other) in server.all() {
        let there: Vec<Span> = things.iter().filter_map(|span| navigate::in_program(*span, &own, &other)).collect();
        for span in navigate::references(&other, &there) {
            if params.context.include_declaration || !there.contains(&span) {
                out.push(Location::new(uri.clone(), other.range(span)));
            }
        }
    }
    // Declarations in files that are not open.
    if params.context.include_declaration {
        for location in server.locations(&own, &things) {
            if !out.contains(&location) {
                out.push(location);
            }
        }
    }
    write(out)
}

fn workspace_symbols(server: &mut Server, query: &str) -> Answer {
    let mut found: BTreeMap<(String, u32, u32), Value> = BTreeMap::new();
    for (_, analysis) in server.all() {
        for symbol in symbols::workspace_symbols(&analysis, query) {
            for location in server.locations(&analysis, &[symbol.span]) {
                let key = (location.uri.as_str().to_string(), location.range.start.line, location.range.start.character);
                found.entry(key).or_insert_with(|| json!({ "name": symbol.name, "kind": symbol.kind, "location": location }));
            }
        }
    }
    write(found.into_values().collect::<Vec<_>>())
}

fn completion(server: &mut Server, params: CompletionParams) -> Answer {
    let place = params.text_document_position;
    let uri = place.text_document.uri;
    let analysis = server.analysis(&uri)?;
    let known = server.documents.get(&uri).and_then(|open| open.accepted.clone());
    let folder = uri::path_of(&uri).and_then(|path| path.parent().map(std::path::Path::to_path_buf));
    let files = |inside: &str| folder.as_ref().map_or(Vec::new(), |folder| source_files(&folder.join(inside)));
    write(complete::complete(&analysis, known.as_deref(), place.position, &files))
}

/// The source files in a folder, as they are imported.
fn source_files(folder: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut out: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".rem").or_else(|| name.strip_suffix(".fut")).map(str::to_string)).take(1000).collect();
    out.sort();
    out
}

fn code_actions(server: &mut Server, params: CodeActionParams) -> Answer {
    let uri = params.text_document.uri;
    let analysis = server.analysis(&uri)?;
    let wanted = |kind: &CodeActionKind| {
        let only = params.context.only.as_ref();
        only.is_none_or(|only| {
            only.iter().any(|asked| kind.as_str() == asked.as_str() || kind.as_str().starts_with(&format!("{}.", asked.as_str())))
        })
    };
    let refactor = wanted(&CodeActionKind::REFACTOR_REWRITE);
    let found = actions::actions(&analysis, params.range, refactor);
    let shown = diagnostics::diagnostics(&analysis, &|name| server.uri_of(&analysis, name));
    let mut out = Vec::new();
    for action in found {
        let kind = if action.diagnostic.is_some() { CodeActionKind::QUICKFIX } else { CodeActionKind::REFACTOR_REWRITE };
        if wanted(&kind) {
            let edits = action.edits.iter().map(|(span, text)| TextEdit { range: analysis.range(*span), new_text: text.clone() }).collect();
            out.push(CodeAction {
                title: action.title,
                kind: Some(kind),
                diagnostics: action.diagnostic.and_then(|at| shown.get(at)).map(|diagnostic| vec![diagnostic.clone()]),
                edit: Some(changes(BTreeMap::from([(uri.as_str().to_string(), edits)]))),
                ..CodeAction::default()
            });
        }
    }
    // Whether maps can be left out takes a while to find out: when it is chosen.
    let selection = analysis.span(params.range);
    if refactor && !analysis.is_core() && rewrite::has_maps(&analysis, selection) {
        let mut action = CodeAction {
            title: "leave out the maps that are inserted anyway".to_string(),
            kind: Some(CodeActionKind::REFACTOR_REWRITE),
            data: Some(json!({ "uri": uri, "range": params.range })),
            ..CodeAction::default()
        };
        if !server.client.resolve_actions {
            action = resolved(server, action)?;
        }
        if server.client.resolve_actions || action.edit.is_some() {
            out.push(action);
        }
    }
    write(out)
}

/// Adds what an action changes.
fn resolved(server: &mut Server, mut action: CodeAction) -> Result<CodeAction, Failure> {
    let range = action.data.as_ref().and_then(|data| data.get("range")).cloned();
    let (Some(uri), Some(range)) = (uri_in(action.data.as_ref()), range) else { return Ok(action) };
    let range: lsp_types::Range = read(range)?;
    let analysis = server.analysis(&uri)?;
    match rewrite::implicit(&analysis, analysis.span(range), &server.documents.texts()) {
        Some(found) => {
            let edits = found.edits.iter().map(|(span, text)| TextEdit { range: analysis.range(*span), new_text: text.clone() }).collect();
            action.edit = Some(changes(BTreeMap::from([(uri.as_str().to_string(), edits)])));
        }
        None => server.say("none of the maps can be left out: without them the program is another one"),
    }
    Ok(action)
}

/// Changes of documents.
#[allow(clippy::mutable_key_type, reason = "the protocol's crate has this type")]
pub(super) fn changes(edits: BTreeMap<String, Vec<TextEdit>>) -> WorkspaceEdit {
    let changes = edits.into_iter().filter_map(|(uri, edits)| Some((uri.parse().ok()?, edits))).collect();
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// The text of a file of the library, for clients that cannot open it as a file.
fn library_text(server: &mut Server, params: &Value) -> Answer {
    let uri = uri_in(Some(params)).ok_or_else(|| Failure { code: ErrorCode::InvalidParams, message: "`uri` is missing".into() })?;
    let name = server.library.name_of(&uri);
    let text = name.and_then(|name| {
        let (root, text) = super::library::program_with(&name);
        let analysis = Analysis::new(root, &text, &server.documents.texts());
        analysis.sources.files().find(|(_, file)| file.name == name).map(|(_, file)| file.text.to_string())
    });
    text.map(Value::String)
        .ok_or_else(|| Failure { code: ErrorCode::InvalidParams, message: format!("{} is no file of the library", uri.as_str()) })
}
