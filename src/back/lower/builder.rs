//! The function under construction: its variables, its statements so far, and the buffers that it has to release.

use super::{Lower, Site};
use crate::base::{Arena, PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Handle, HandleInfo, Local, LocalInfo, Ptr, PtrInfo, Stmt};
use crate::ir::soac::Var;

/// The handles that a body has made.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) handles: Vec<Handle>,
}

/// A function under construction.
pub(super) struct Builder {
    /// The name of the definition.
    pub(super) name: Symbol,
    pub(super) locals: Arena<LocalInfo>,
    pub(super) ptrs: Arena<PtrInfo>,
    pub(super) handles: Arena<HandleInfo>,
    /// The statements of the innermost block.
    pub(super) code: Vec<Stmt>,
    /// The bodies around, outermost first.
    pub(super) scopes: Vec<Scope>,
    /// Bytes of the arrays in the function's frame.
    pub(super) frame: u64,
}

impl Builder {
    pub(super) fn new(name: Symbol) -> Self {
        Builder {
            name,
            locals: Arena::default(),
            ptrs: Arena::default(),
            handles: Arena::default(),
            code: Vec::new(),
            scopes: vec![Scope::default()],
            frame: 0,
        }
    }
    /// The innermost scope.
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap_or_else(|| crate::ice!(Span::default(), "there is no scope around a statement"))
    }
}

impl Lower<'_, '_> {
    pub(super) fn emit(&mut self, stmt: Stmt) {
        self.out.code.push(stmt);
    }
    /// The statements that `work` emits.
    pub(super) fn block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let outer = std::mem::take(&mut self.out.code);
        let result = work(self);
        (std::mem::replace(&mut self.out.code, outer), result)
    }
    /// Does `work` where nothing is parallel.
    pub(super) fn sequentially<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_site(Site::Sequential, work)
    }
    pub(super) fn at_site<T>(&mut self, site: Site, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.site, site);
        let result = work(self);
        self.site = outer;
        result
    }
    /// Does `work` in a scope of its own: buffers that it makes are released at its end.
    pub(super) fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.out.scopes.push(Scope::default());
        let result = work(self);
        let scope = self.leave_scope();
        self.release(&scope.handles);
        result
    }
    /// The statements that `work` emits in a scope of its own.
    pub(super) fn scoped_block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        self.block(|this| this.scoped(work))
    }
    /// Ends the innermost scope. What it holds is still to be released.
    pub(super) fn leave_scope(&mut self) -> Scope {
        self.out.scopes.pop().unwrap_or_else(|| crate::ice!(Span::default(), "a scope ends that was not entered"))
    }
    pub(super) fn release(&mut self, handles: &[Handle]) {
        handles.iter().for_each(|handle| self.emit(Stmt::Release(*handle)));
    }

    pub(super) fn local(&mut self, name: &str, prim: PrimType) -> Local {
        self.out.locals.alloc(LocalInfo { name: Symbol::new(name), prim })
    }
    pub(super) fn local_of(&mut self, var: Var) -> Local {
        let info = &self.program.vars[var];
        self.out.locals.alloc(LocalInfo { name: info.name, prim: info.ty.elem })
    }
    pub(super) fn ptr(&mut self, name: Symbol, elem: PrimType, stack: Option<u64>) -> Ptr {
        self.out.ptrs.alloc(PtrInfo { name, elem, stack })
    }
    pub(super) fn handle(&mut self, name: &str) -> Handle {
        self.out.handles.alloc(HandleInfo { name: Symbol::new(name) })
    }
    /// A handle that is released at the end of the scope.
    pub(super) fn scoped_handle(&mut self, name: &str) -> Handle {
        let handle = self.handle(name);
        self.out.scope().handles.push(handle);
        handle
    }
    /// The expression as a variable or number.
    pub(super) fn atom(&mut self, name: &str, e: Expr) -> Expr {
        if e.is_atom() {
            return e;
        }
        let local = self.local(name, PrimType::I64);
        self.emit(Stmt::Set(local, e));
        Expr::Local(local)
    }
}
