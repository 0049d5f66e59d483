//! Probes: of sites that there are, with expressions that have a meaning where they stand.

use super::{Checked, Checker, State, ensure};
use crate::ir::imp::Probe;
use crate::ir::profile::SiteId;

impl Checker<'_> {
    pub(super) fn probe(&self, probe: &Probe, state: &State) -> Checked {
        let known = |site: &SiteId| self.program.profile.as_ref().is_some_and(|profile| site.raw() < profile.sites.len());
        ensure(!self.kernel, || "a kernel is profiled".into())?;
        match probe {
            Probe::Begin(site, _) | Probe::End(site, _) => ensure(known(site), || "a probe of no site".into()),
            Probe::Count(site, count, _) => {
                ensure(known(site), || "a probe of no site".into())?;
                self.int(count, state)
            }
            Probe::CountUnless(site, count, _, ptr, _) => {
                ensure(known(site), || "a probe of no site".into())?;
                self.int(count, state)?;
                self.pointed(*ptr, state)
            }
        }
    }
}
