//! A program with everything inferred, ambiguities decided by meaning.

use crate::base::SourceMap;
use crate::diag::Diagnostic;
use crate::front::ambiguity;
use crate::front::explicit::Printer;
use crate::front::infer::{Error, Inferred, infer_def};
use crate::front::resolve::load;
use crate::front::tests::NoFiles;
use crate::ir::tables::{DefId, Program, Tables};

/// A program of which all definitions are decided.
pub(crate) struct Checked {
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
    pub(crate) tables: Tables,
    /// The definitions of the text, and what was inferred for them.
    pub(crate) own: Vec<(DefId, Inferred)>,
}

/// Infers the prelude and a text.
pub(crate) fn check(text: &str) -> Result<Checked, Vec<Diagnostic>> {
    check_sized(text, &|_| true)
}

/// `check`, with a judge of sizes.
pub(crate) fn check_sized(text: &str, well_sized: &dyn Fn(&Tables) -> bool) -> Result<Checked, Vec<Diagnostic>> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.rem", text);
    let (mut program, errors) = load(&mut sources, &NoFiles, &[file]);
    if !errors.is_empty() {
        return Err(errors);
    }
    let ids: Vec<DefId> = program.defs.iter().map(|(id, _)| id).collect();
    let mut tables = Tables::default();
    let mut own = Vec::new();
    for id in ids {
        let inferred = infer_def(&mut program, &tables, id).map_err(|errors| errors.iter().map(Error::report).collect::<Vec<_>>())?;
        let verdict =
            ambiguity::decide(&program, &inferred, well_sized).map_err(|refusal| refusal.report(&program, &sources, &inferred))?;
        inferred.fill(&verdict.values, &mut tables);
        if program.defs[id].file == file {
            own.push((id, inferred));
        }
    }
    Ok(Checked { program, sources, tables, own })
}

impl Checked {
    /// Every definition of the text, explicit.
    pub(crate) fn explicit(&self) -> String {
        let printer = Printer::new(&self.program, &self.sources);
        self.own.iter().map(|(id, _)| printer.source(&self.tables, *id)).collect::<Vec<_>>().join("\n")
    }

    /// Number of insertions, induced replications not counted.
    pub(crate) fn cost(&self) -> u32 {
        self.own.iter().flat_map(|(_, i)| self.last(i)).sum()
    }

    fn last(&self, inferred: &Inferred) -> Vec<u32> {
        let tables = inferred.tables(&inferred.solution().values);
        tables.apps.iter().map(|(_, info)| info.cost()).collect()
    }

    /// The types of the definitions of the text.
    pub(crate) fn types(&self) -> Vec<String> {
        let printer = Printer::new(&self.program, &self.sources);
        self.own.iter().map(|(id, _)| printer.type_of(&self.tables, *id)).collect()
    }
}
