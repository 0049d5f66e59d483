//! Probes of programs that are profiled: calls of what `profile.c` has.

use super::Processor;
use crate::back::text::{Emitter, Text};
use crate::ir::imp::Probe;

impl Emitter<'_, Processor> {
    /// A probe.
    pub(super) fn probe(&self, text: &mut Text, probe: &Probe) {
        match probe {
            Probe::Begin(site, false) => text.line(&format!("remora_begin(th, {});", site.raw())),
            Probe::End(site, false) => text.line(&format!("remora_end(th, {});", site.raw())),
            Probe::Begin(site, true) => text.line(&format!("remora_begin_leaf(th, {});", site.raw())),
            Probe::End(site, true) => text.line(&format!("remora_end_leaf(th, {});", site.raw())),
            Probe::Count(site, count, bytes) => text.line(&format!("remora_tally(th, {}, {}, {bytes});", site.raw(), self.expr(count))),
            Probe::CountUnless(site, count, bytes, ptr, owners) => {
                let ptr = self.ptr(*ptr);
                let owned: Vec<String> = owners
                    .iter()
                    .map(|owner| self.handle(*owner))
                    .map(|owner| format!("({owner} && (void *){ptr} == remora_data({owner}))"))
                    .collect();
                let owned = if owned.is_empty() { "0".to_string() } else { owned.join(" || ") };
                text.line(&format!("if (!({owned})) remora_tally(th, {}, {}, {bytes});", site.raw(), self.expr(count)));
            }
        }
    }
}
